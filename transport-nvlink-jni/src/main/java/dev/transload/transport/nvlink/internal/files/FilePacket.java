/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.files;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BufferUtil;

/**
 * A packet of 8 bytes, little endian, with room for the descriptor that came beside it. A question has id i32 and index
 * i32; its answer the length i64, and the file beside it: without a file there is none.
 */
final class FilePacket
{
    private static final int LENGTH = 8;
    private static final int INDEX = 4;

    private final ByteBuffer bytes =
        ByteBuffer.allocateDirect(LENGTH + Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final long address = BufferUtil.address(bytes);

    void question(final int id, final int index)
    {
        bytes.putInt(0, id).putInt(INDEX, index);
    }

    void answer(final long length)
    {
        bytes.putLong(0, length);
    }

    int id()
    {
        return bytes.getInt(0);
    }

    int index()
    {
        return bytes.getInt(INDEX);
    }

    /** What came as an answer, or null. */
    OpenFile file()
    {
        // Written by the CPU, in its own order.
        final int descriptor = bytes.order(ByteOrder.nativeOrder()).getInt(LENGTH);
        return descriptor < 0 ? null : new OpenFile(descriptor, bytes.order(ByteOrder.LITTLE_ENDIAN).getLong(0));
    }

    int send(final int socket, final int file)
    {
        return FileCalls.send(socket, address, LENGTH, file);
    }

    /** 1 for a packet, 0 for the end of the connection, or an error of the system. */
    int receive(final int socket)
    {
        final int received = FileCalls.receive(socket, address, LENGTH, address + LENGTH);
        return Math.min(received, LENGTH == received ? 1 : 0);
    }
}
