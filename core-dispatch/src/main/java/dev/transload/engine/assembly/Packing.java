/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.assembly;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Length-prefixed byte strings, one after another, for what ranks tell each other at the start. */
final class Packing
{
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteBuffer in;

    /** To write. */
    Packing()
    {
        in = null;
    }

    /** To read. */
    Packing(final ByteBuffer bytes)
    {
        in = bytes.duplicate();
    }

    void put(final byte[] bytes)
    {
        put(bytes.length);
        out.write(bytes, 0, bytes.length);
    }

    void put(final ByteBuffer bytes)
    {
        final byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        put(copy);
    }

    void put(final int value)
    {
        final byte[] bytes = ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
        out.write(bytes, 0, bytes.length);
    }

    int getInt()
    {
        return in.getInt();
    }

    ByteBuffer get()
    {
        final int length = in.getInt();
        final ByteBuffer bytes = in.slice(in.position(), length).asReadOnlyBuffer();
        in.position(in.position() + length);
        return bytes;
    }

    ByteBuffer toBuffer()
    {
        return ByteBuffer.wrap(out.toByteArray());
    }
}
