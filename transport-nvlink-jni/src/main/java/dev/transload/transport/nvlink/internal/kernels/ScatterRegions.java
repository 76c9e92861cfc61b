/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.kernels;

import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryRegion;

/** The regions of a scatter as the kernel sees them; no row is looked at. Reused by one thread. */
final class ScatterRegions
{
    private final RegionAddresses regions;
    private long[] words = new long[KernelArguments.INLINE_REGIONS * KernelArguments.TARGET_WORDS];
    private int regionCount;
    private long source;
    private long scales;

    ScatterRegions(final RegionAddresses regions)
    {
        this.regions = regions;
    }

    /** Check regions and rows. */
    void resolve(final RowScatter scatter, final RowTable table, final int from, final int count)
    {
        source = scatter.rowBytes() > 0 ? regions.of("source", scatter.source()) + scatter.sourceBase() : 0;
        scales = scatter.scalesBytes() > 0 ? regions.of("scales", scatter.scales()) + scatter.scalesBase() : 0;
        regionCount = scatter.targetRegions();
        if (words.length < regionCount * KernelArguments.TARGET_WORDS)
        {
            words = new long[regionCount * KernelArguments.TARGET_WORDS];
        }

        for (int i = 0; i < regionCount; i++)
        {
            final int at = i * KernelArguments.TARGET_WORDS;
            put(at, "target", scatter.target(i), scatter.targetBase(i), scatter.targetStride(i));
            put(at + 2, "scales target", scatter.scalesTarget(i), scatter.scalesTargetBase(i),
                scatter.scalesTargetStride(i));
        }

        scatter.check(table, from, count);
    }

    private void put(
        final int at, final String name, final MemoryRegion region, final long base, final long stride)
    {
        words[at] = null == region ? 0 : regions.of(name, region) + base;
        words[at + 1] = stride;
    }

    long source()
    {
        return source;
    }

    long scales()
    {
        return scales;
    }

    int regionCount()
    {
        return regionCount;
    }

    /** For each target region, address of row 0 and stride, of rows and of scales. */
    long[] words()
    {
        return words;
    }
}
