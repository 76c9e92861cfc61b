/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.engine.lowlatency.LowLatencyEngine;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a bench of low-latency calls takes for moved, and how much memory for needed. */
class BenchRoutingTest
{
    private static final int ROW_BYTES = 14336;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldCountWhatCrossesToOtherRanksOnly(final int ranks)
    {
        final BenchRouting routing = new BenchRouting(ranks);
        int own = 0;
        for (int rank = 0; rank < ranks; rank++)
        {
            final long begin = 8L * rank;
            own += (int)Arrays.stream(routing.experts(rank)).limit(32 * 8)
                .filter((expert) -> expert >= begin && expert < begin + 8).count();
        }

        assertEquals(ranks * 32 * 8, routing.crossing(32) + own);
        assertEquals(1 == ranks, 0 == routing.crossing(32));
        assertEquals(0, routing.crossing(0));
    }

    @Test
    void shouldCountMemoryOfOutputsAndInputsToo()
    {
        // Each of 2 ranks: slots of rows and answers for 2 ranks in 2 lanes of 2 sets, and what tells of them; the
        // exchange's 2 places of 2 ranks, and what is sent, 512 rows each; 8 experts' rows from both; rows to send, 2
        // sets of cast ones, and combined ones.
        final long slots = LowLatencyEngine.bytes(128, ROW_BYTES / Short.BYTES, 2, 16, 8);
        assertEquals(2 * 2 * 2 * (128 + 128 * 8), slots / ROW_BYTES, 1 + slots / ROW_BYTES / 100);
        final long rows = 5 * 512 + 8 * 2 * 128 + 4 * 128;
        assertEquals(2 * (slots + rows * ROW_BYTES), LowLatencyText.bytes(2));
    }
}
