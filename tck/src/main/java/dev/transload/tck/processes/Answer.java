/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * What a rank's process answers: a number and bytes, either of which a request may leave at 0 or empty.
 * <p>
 * On the wire: {@link #DONE}, i64 number, i32 length, bytes; or {@link #THROWN}, i32 length, the serialized throwable.
 *
 * @param number such as a position, a count, or the handle of a new object.
 * @param bytes  such as a descriptor.
 */
record Answer(long number, byte[] bytes)
{
    static final byte DONE = 0;
    static final byte THROWN = 1;
    static final byte[] NO_BYTES = new byte[0];

    static Answer of(final long number)
    {
        return new Answer(number, NO_BYTES);
    }

    static Answer of(final boolean verdict)
    {
        return of(verdict ? 1 : 0);
    }

    static Answer of(final byte[] bytes)
    {
        return new Answer(0, bytes);
    }

    /** Bytes of a buffer; the number is 1 where the buffer cannot be written to. */
    static Answer of(final ByteBuffer buffer)
    {
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return new Answer(buffer.isReadOnly() ? 1 : 0, bytes);
    }

    static Answer nothing()
    {
        return of(0);
    }

    /** As the buffer was from which it was made. */
    ByteBuffer buffer()
    {
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return 1 == number ? buffer.asReadOnlyBuffer() : buffer;
    }

    void write(final DataOutputStream out) throws IOException
    {
        out.writeByte(DONE);
        out.writeLong(number);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    /** Reads an i32 length and that many bytes. */
    static byte[] readBytes(final DataInputStream in) throws IOException
    {
        final int length = in.readInt();
        if (0 == length)
        {
            return NO_BYTES;
        }

        final byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }
}
