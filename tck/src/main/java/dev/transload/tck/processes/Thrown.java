/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;

/** Carries a throwable of one process to another, whole: class, message, fields, causes and traces. */
final class Thrown
{
    private Thrown()
    {
    }

    static byte[] toBytes(final Throwable thrown)
    {
        try
        {
            return serialize(thrown);
        }
        catch (final IOException ex)
        {
            // Something in it cannot be serialized. As an error it is never mistaken for the refusal of a misuse.
            return toBytes(new AssertionError(thrown + ", which cannot be sent: " + ex));
        }
    }

    static Throwable of(final byte[] bytes)
    {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes)))
        {
            return (Throwable)in.readObject();
        }
        catch (final IOException | ClassNotFoundException ex)
        {
            throw new AssertionError("what a rank's process threw cannot be read: " + ex, ex);
        }
    }

    /** Throws it, with a note of who asked. */
    static RuntimeException rethrow(final String rank, final Request request, final byte[] bytes)
    {
        final Throwable thrown = of(bytes);
        thrown.addSuppressed(new IllegalStateException("thrown in the process of " + rank + " by " + request));
        if (thrown instanceof Error error)
        {
            throw error;
        }

        if (thrown instanceof RuntimeException exception)
        {
            throw exception;
        }

        throw new AssertionError(thrown + ", which no method of the SPI may throw", thrown);
    }

    private static byte[] serialize(final Throwable thrown) throws IOException
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes))
        {
            out.writeObject(thrown);
        }

        return bytes.toByteArray();
    }
}
