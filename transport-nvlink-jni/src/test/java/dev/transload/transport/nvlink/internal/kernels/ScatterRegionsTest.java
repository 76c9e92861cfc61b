/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.tck.PlainRegion;
import dev.transload.transport.nvlink.Emulator;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** How many blocks write to the own device alone: the bytes are those of any, so that only this tells. */
class ScatterRegionsTest
{
    private static final int LENGTH = 8;
    private static final MemoryRegion NEAR = region(0);
    private static final MemoryRegion FAR = region(1);

    private final ScatterRegions regions = new ScatterRegions(new RegionAddresses(Emulator.device(0)));

    @Test
    void shouldWriteToTheOwnDeviceAsFastAsToTheLink()
    {
        assertEquals(8, nearBlocks(32, NEAR, 1, FAR, 1));
        assertEquals(8, nearBlocks(64, FAR, 4000, NEAR, 4000));
        assertEquals(3, nearBlocks(32, NEAR, 100, FAR, 100, FAR, 100, FAR, 100));
        assertEquals(16, nearBlocks(32, NEAR, 100, FAR, 100, NEAR, 100, FAR, 0));
        assertEquals(1, nearBlocks(32, NEAR, 1, FAR, 4000));
    }

    @Test
    void shouldLeaveBlocksForBoth()
    {
        assertEquals(4, nearBlocks(8, NEAR, 1, FAR, 1));
        assertEquals(29, nearBlocks(32, NEAR, 10, FAR, 1));
        assertEquals(31, nearBlocks(32, NEAR, 4000, FAR, 1));
        assertEquals(1, nearBlocks(2, NEAR, 1, FAR, 1));
        assertEquals(0, nearBlocks(1, NEAR, 1, FAR, 1));
    }

    @Test
    void shouldNotDivideWhatGoesToOneOfThem()
    {
        assertEquals(0, nearBlocks(32, NEAR, 7, NEAR, 7));
        assertEquals(0, nearBlocks(32, FAR, 7, FAR, 7));
        assertEquals(0, nearBlocks(32, NEAR, 7, FAR, 0));
        assertEquals(0, nearBlocks(32, NEAR, 0, FAR, 7));
        assertEquals(0, nearBlocks(32, NEAR, 7, null, 7));
    }

    @Test
    void shouldNotDivideWithoutHints()
    {
        assertEquals(0, nearBlocks(32, NEAR, 0, FAR, 0, FAR, 0));
        assertThrows(IllegalArgumentException.class, () -> scatter(1).copies(0, -1));
    }

    @Test
    void shouldNotDivideWhereRegionsAreInATable()
    {
        final RowScatter scatter = scatter(KernelArguments.INLINE_REGIONS + 1);
        for (int i = 0; i < scatter.targetRegions(); i++)
        {
            scatter.target(i, 0 == i ? NEAR : FAR, 0, LENGTH).copies(i, 1);
        }

        assertEquals(0, nearBlocks(32, scatter));
    }

    /** Of regions, each with its hint behind it. */
    private int nearBlocks(final int blocks, final Object... targets)
    {
        final RowScatter scatter = scatter(targets.length / 2);
        for (int i = 0; i < targets.length; i += 2)
        {
            scatter.target(i / 2, (MemoryRegion)targets[i], 0, LENGTH).copies(i / 2, (int)targets[i + 1]);
        }

        return nearBlocks(blocks, scatter);
    }

    private int nearBlocks(final int blocks, final RowScatter scatter)
    {
        regions.resolve(scatter, new RowTable(ByteBuffer.allocateDirect(64), 1, 1, false), 0, 0);
        return regions.nearBlocks(blocks);
    }

    private static RowScatter scatter(final int targets)
    {
        return new RowScatter(targets).source(NEAR, 0, LENGTH, LENGTH);
    }

    private static MemoryRegion region(final int ordinal)
    {
        return new PlainRegion(MemoryKind.CUDA, ordinal, 4096, 1 << 20, null, () -> {});
    }
}
