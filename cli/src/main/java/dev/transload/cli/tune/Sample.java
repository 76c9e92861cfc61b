/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What one rank measured in a trial.
 *
 * @param cpuNs   CPU time of its process for one call, in nanoseconds.
 * @param callNs  dispatch and combine together, by call, in nanoseconds.
 * @param failure one sentence, or null.
 */
record Sample(long cpuNs, long[] callNs, String failure)
{
    /** Length of the list of calls where there is a sentence instead. */
    private static final int FAILED = -1;

    static Sample failed(final String sentence)
    {
        return new Sample(0, new long[0], sentence);
    }

    /** elapsed i64, CPU time i64, calls i32, then i64 for each call; or, for −1 calls, the sentence in UTF-8. */
    ByteBuffer toBuffer(final long elapsedNs)
    {
        final byte[] sentence = null == failure ? new byte[0] : failure.getBytes(StandardCharsets.UTF_8);
        final ByteBuffer buffer = ByteBuffer.allocate(
            2 * Long.BYTES + Integer.BYTES + callNs.length * Long.BYTES + sentence.length);
        buffer.putLong(elapsedNs).putLong(cpuNs).putInt(null == failure ? callNs.length : FAILED);
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

        return new Sample(cpuNs, callNs, null);
    }
}
