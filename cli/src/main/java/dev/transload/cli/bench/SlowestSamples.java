/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** Of each call that all ranks made, the slowest rank's time. */
final class SlowestSamples
{
    private static final double NS_PER_MICRO = 1e3;
    private static final double DIGITS = 1e3;

    private final long[] sortedNs;

    private SlowestSamples(final long[] sortedNs)
    {
        this.sortedNs = sortedNs;
    }

    /** From nanoseconds by call, of each rank. */
    static SlowestSamples of(final List<ByteBuffer> ranks)
    {
        final long[] slowest = new long[ranks.get(0).remaining() / Long.BYTES];
        for (final ByteBuffer rank : ranks)
        {
            final ByteBuffer ns = rank.duplicate();
            for (int i = 0; i < slowest.length; i++)
            {
                slowest[i] = Math.max(slowest[i], ns.getLong());
            }
        }

        Arrays.sort(slowest);
        return new SlowestSamples(slowest);
    }

    /** Nearest rank: the least value that is not below so many percent of all. */
    double micros(final int percent)
    {
        return sortedNs[Math.max(0, (sortedNs.length * percent + 99) / 100 - 1)] / NS_PER_MICRO;
    }

    ObjectNode json()
    {
        return new ObjectMapper().createObjectNode().put("p50", rounded(micros(50))).put("p90", rounded(micros(90)))
            .put("p99", rounded(micros(99))).put("max", rounded(micros(100)));
    }

    static double rounded(final double value)
    {
        return Math.round(value * DIGITS) / DIGITS;
    }
}
