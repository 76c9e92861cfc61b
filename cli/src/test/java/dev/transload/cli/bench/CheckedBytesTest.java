/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.tck.stepping.SteppingFabric;
import dev.transload.tck.stepping.SteppingOptions;
import org.junit.jupiter.api.Test;

class CheckedBytesTest
{
    private static final int LENGTH = 3_000_001;

    private final MemoryRegion region = new SteppingFabric(1, 1, SteppingOptions.host()).transport(0)
        .allocate(MemoryKind.HOST, 0, LENGTH, Access.REMOTE);
    private final CheckedMemory memory = CheckedMemory.ofHost(region);

    @Test
    void shouldFindWhatWasFilled()
    {
        CheckedBytes.fill(memory, LENGTH, 2, 7);
        assertEquals(-1, CheckedBytes.mismatch(memory, 0, LENGTH, 2, 7));
    }

    @Test
    void shouldFindASingleWrongByteWhereverItIs()
    {
        for (final int at : new int[]{ 0, 7, 8, 1 << 20, LENGTH - 1 })
        {
            CheckedBytes.fill(memory, LENGTH, 2, 7);
            region.hostView(at, 1).put(0, (byte)~CheckedBytes.byteAt(2, 7, at));
            assertEquals(at, CheckedBytes.mismatch(memory, 0, LENGTH, 2, 7));
        }
    }

    /** A put that is missing leaves an older step; one that goes astray is of another rank or offset. */
    @Test
    void shouldTellRanksStepsAndPlacesApart()
    {
        CheckedBytes.fill(memory, LENGTH, 2, 7);
        assertNotEquals(-1, CheckedBytes.mismatch(memory, 0, 64, 2, 8));
        assertNotEquals(-1, CheckedBytes.mismatch(memory, 0, 64, 3, 7));
        assertNotEquals(-1, CheckedBytes.mismatch(memory, 64, 64, 2, 7));
        assertNotEquals(-1, CheckedBytes.mismatch(memory, 1, 8, 2, 7));
    }
}
