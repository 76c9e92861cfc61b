/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * Counts the threads that are reading signals right now, so that their memory is not unmapped under one: UCX gives
 * memory back at once, and any thread may read at any time. Counts are spread over lines by thread, which makes a
 * read cost some ten nanoseconds, whoever else reads.
 */
final class SignalReaders
{
    private static final int LINES = 16;
    private static final int LINE_LENGTH = 128;

    private final ByteBuffer memory = BufferUtil.allocateDirectAligned(LINES * LINE_LENGTH, LINE_LENGTH);
    private final long address = BufferUtil.address(memory);

    /**
     * Begin to read. What was published before {@link #awaitNone()} is seen afterwards.
     *
     * @return to be given to {@link #exit}.
     */
    long enter()
    {
        final long line = address + (Thread.currentThread().hashCode() & LINES - 1) * LINE_LENGTH;
        UnsafeApi.getAndAddLong(null, line, 1);
        return line;
    }

    /** End a read. */
    void exit(final long line)
    {
        UnsafeApi.getAndAddLong(null, line, -1);
    }

    /** Wait until nobody who entered before is within; a read takes nanoseconds. */
    void awaitNone()
    {
        UnsafeApi.fullFence();
        for (int i = 0; i < LINES; i++)
        {
            while (0 != UnsafeApi.getLongVolatile(null, address + (long)i * LINE_LENGTH))
            {
                Thread.onSpinWait();
            }
        }
    }
}
