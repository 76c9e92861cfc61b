/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * What one rank measured in a trial.
 *
 * @param cpuNs   CPU time of its process for one call, in nanoseconds.
 * @param callNs  dispatch and combine together, by call, in nanoseconds.
 * @param reach   how the rank reaches others, by bits of {@link LowLatencySpace}; 0 in normal mode.
 * @param failure one sentence, or null.
 */
record Sample(long cpuNs, long[] callNs, int reach, String failure)
{
    /** Length of the list of calls where there is a sentence instead. */
    private static final int FAILED = -1;

    static Sample failed(final String sentence)
    {
        return new Sample(0, new long[0], 0, sentence);
    }

    /**
     * Make calls.
     *
     * @param warm  calls that come first and do not count.
     * @param count calls after them.
     * @param call  makes the next one, and gives its time in nanoseconds.
     */
    static Sample of(final int warm, final int count, final LongSupplier call)
    {
        final OperatingSystemMXBean system = (OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean();
        for (int i = 0; i < warm; i++)
        {
            call.getAsLong();
        }

        final long[] callNs = new long[count];
        final long cpuBeforeNs = system.getProcessCpuTime();
        Arrays.setAll(callNs, (i) -> call.getAsLong());
        return new Sample((system.getProcessCpuTime() - cpuBeforeNs) / count, callNs, 0, null);
    }

    Sample reaching(final int others)
    {
        return new Sample(cpuNs, callNs, others, failure);
    }

    /** elapsed i64, CPU time i64, reach i32, calls i32, i64 for each call; or, for −1 calls, the sentence in UTF-8. */
    ByteBuffer toBuffer(final long elapsedNs)
    {
        final byte[] sentence = null == failure ? new byte[0] : failure.getBytes(StandardCharsets.UTF_8);
        final ByteBuffer buffer = ByteBuffer.allocate(
            2 * Long.BYTES + 2 * Integer.BYTES + callNs.length * Long.BYTES + sentence.length);
        buffer.putLong(elapsedNs).putLong(cpuNs).putInt(reach).putInt(null == failure ? callNs.length : FAILED);
        for (final long ns : callNs)
        {
            buffer.putLong(ns);
        }

        return buffer.put(sentence).flip();
    }

    /** From behind the elapsed time. */
    static Sample read(final ByteBuffer buffer)
    {
        final long cpuNs = buffer.getLong();
        final int reach = buffer.getInt();
        final int calls = buffer.getInt();
        if (FAILED == calls)
        {
            return failed(StandardCharsets.UTF_8.decode(buffer).toString());
        }

        final long[] callNs = new long[calls];
        for (int call = 0; call < calls; call++)
        {
            callNs[call] = buffer.getLong();
        }

        return new Sample(cpuNs, callNs, reach, null);
    }
}
