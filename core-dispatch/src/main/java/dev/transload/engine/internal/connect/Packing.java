/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Length-prefixed byte strings, one after another, for what ranks tell each other at the start. */
public final class Packing
{
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteBuffer in;

    public Packing()
    {
        in = null;
    }

    public Packing(final ByteBuffer bytes)
    {
        in = bytes.duplicate();
    }

    public void put(final byte[] bytes)
    {
        put(bytes.length);
        out.write(bytes, 0, bytes.length);
    }

    /**
     * Append.
     *
     * @param bytes of one string, from position to limit.
     */
    public void put(final ByteBuffer bytes)
    {
        final byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        put(copy);
    }

    /** Append a number. */
    public void put(final int value)
    {
        final byte[] bytes = ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
        out.write(bytes, 0, bytes.length);
    }

    /** Take a number. */
    public int getInt()
    {
        return in.getInt();
    }

    /** Take a string. */
    public ByteBuffer get()
    {
        final int length = in.getInt();
        final ByteBuffer bytes = in.slice(in.position(), length).asReadOnlyBuffer();
        in.position(in.position() + length);
        return bytes;
    }

    /**
     * All that was appended.
     *
     * @return bytes.
     */
    public ByteBuffer toBuffer()
    {
        return ByteBuffer.wrap(out.toByteArray());
    }
}
