/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx.internal.ucp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import dev.transload.spi.RowList;
import dev.transload.transport.ucx.NeedsUcx;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is called for every operation allocates nothing. */
@NeedsUcx
@Timeout(120)
class AllocationTest
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private static final int OPERATIONS = 5_000;
    private static final int ROUNDS = 30;
    private static final int ROWS = 8;

    @ParameterizedTest
    @CsvSource({"JNI,posix", "JNI,tcp", "JNA,posix", "JNA,tcp"})
    void shouldAllocateNothing(final UcpBinding binding, final String transports)
    {
        try (Loopback loopback = new Loopback(binding, transports))
        {
            final RowList rows = new RowList(ByteBuffer.allocateDirect(ROWS * RowList.STRIDE), ROWS);
            for (int i = 0; i < ROWS; i++)
            {
                rows.set(i, i * 16L, i * 24L);
            }

            // The first rounds run in the interpreter and compile; a round without any is what counts.
            final long rowsAddress = BufferUtil.address(rows.memory());
            long allocated = Long.MAX_VALUE;
            for (int i = 0; i < ROUNDS && allocated > 0; i++)
            {
                final long before = THREADS.getCurrentThreadAllocatedBytes();
                run(loopback, rowsAddress);
                allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            }
            assertEquals(0, allocated, "bytes in " + OPERATIONS + " operations of each kind");
        }
    }

    private static void run(final Loopback loopback, final long rows)
    {
        final UcpCalls calls = loopback.calls;
        long failures = 0;
        for (int i = 0; i < OPERATIONS; i++)
        {
            failures += loopback.put(0, 8, 0);
            failures += ROWS - calls.putRows(loopback.endpoint, loopback.nearAddress(0), loopback.farAddress(0),
                rows, 0, ROWS, 8, loopback.remoteKey, loopback.memoryHandle, UcpCalls.MEMORY_TYPE_HOST);
            failures += calls.get(loopback.endpoint, loopback.nearAddress(64), 8, loopback.farAddress(64),
                loopback.remoteKey, loopback.memoryHandle, UcpCalls.MEMORY_TYPE_HOST);
            failures += loopback.add(1, 8);
            calls.remotePointer(loopback.remoteKey, loopback.farAddress(0));
            failures += loopback.awaitFlush();
        }
        assertEquals(0, failures);
    }
}
