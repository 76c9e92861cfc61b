/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.kernels;

import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryRegion;

/** The regions of a scatter as the kernel sees them; no row is looked at. Reused by one thread. */
final class ScatterRegions
{
    /** Blocks that keep NVLink of a Hopper GPU busy. The same number writes to its own memory as fast. */
    private static final int LINK_BLOCKS = 8;

    private final RegionAddresses regions;
    private long[] words = new long[KernelArguments.INLINE_REGIONS * KernelArguments.TARGET_WORDS];
    private int regionCount;
    private int near;
    private long nearCopies;
    private long farCopies;
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

        near = 0;
        nearCopies = 0;
        farCopies = 0;
        for (int i = 0; i < regionCount; i++)
        {
            count(i, scatter.target(i), scatter.copies(i));
            final int at = i * KernelArguments.TARGET_WORDS;
            put(at, "target", scatter.target(i), scatter.targetBase(i), scatter.targetStride(i));
            put(at + 2, "scales target", scatter.scalesTarget(i), scatter.scalesTargetBase(i),
                scatter.scalesTargetStride(i));
        }

        scatter.check(table, from, count);
    }

    private void count(final int index, final MemoryRegion target, final long copies)
    {
        if (null == target)
        {
            return;
        }

        if (regions.isOfDevice(target))
        {
            near |= 1 << index;
            nearCopies += copies;
        }
        else
        {
            farCopies += copies;
        }
    }

    private void put(
        final int at, final String name, final MemoryRegion region, final long base, final long stride)
    {
        words[at] = null == region ? 0 : regions.of(name, region) + base;
        words[at + 1] = stride;
    }

    /** Bits of the target regions in the device's own memory, if there are few enough. */
    int near()
    {
        return near;
    }

    /**
     * How many blocks should write to the near regions alone, by the hints of the scatter.
     *
     * @param blocks of the launch.
     * @return blocks, 0 if all should write to all regions.
     */
    int nearBlocks(final int blocks)
    {
        if (0 == nearCopies || 0 == farCopies || regionCount > KernelArguments.INLINE_REGIONS || blocks < 2)
        {
            return 0;
        }

        final long share = blocks * nearCopies / (nearCopies + farCopies);
        final long enough = (LINK_BLOCKS * nearCopies + farCopies - 1) / farCopies;
        return (int)Math.max(1, Math.min(blocks - 1, Math.min(share, enough)));
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
