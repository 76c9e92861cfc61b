/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.kernels;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowTable;

/**
 * The regions of a reduction as the kernels see them, and what the kernels need to know of its rows; no row is looked
 * at. Reused by one thread.
 */
final class SumRegions
{
    private final RegionAddresses regions;
    private long[] words = new long[KernelArguments.INLINE_REGIONS * KernelArguments.SOURCE_WORDS];
    private Reduction reduction;
    private int regionCount;
    private long target;
    private long bias0;
    private long bias1;
    private boolean isAligned;
    private boolean isPlain;
    private boolean hasParts;

    SumRegions(final RegionAddresses regions)
    {
        this.regions = regions;
    }

    /**
     * Check regions and rows.
     *
     * @param next  which is looked at from now on.
     * @param table of its rows.
     * @param from  first row.
     * @param count of rows.
     */
    void resolve(final Reduction next, final RowTable table, final int from, final int count)
    {
        reduction = next;
        target = regions.of("target", next.target()) + next.targetBase();
        bias0 = null == next.bias0() ? 0 : regions.of("bias0", next.bias0()) + next.bias0Base();
        bias1 = null == next.bias1() ? 0 : regions.of("bias1", next.bias1()) + next.bias1Base();
        resolveSources();
        next.check(table, from, count);
        learn(table);
    }

    private void resolveSources()
    {
        regionCount = reduction.sourceRegions();
        if (words.length < regionCount * KernelArguments.SOURCE_WORDS)
        {
            words = new long[regionCount * KernelArguments.SOURCE_WORDS];
        }

        for (int i = 0; i < regionCount; i++)
        {
            final boolean isSet = null != reduction.source(i);
            final int at = i * KernelArguments.SOURCE_WORDS;
            words[at] = isSet ? regions.of("source", reduction.source(i)) + reduction.sourceBase(i) : 0;
            words[at + 1] = isSet ? reduction.sourceStride(i) : 0;
        }
    }

    private void learn(final RowTable table)
    {
        final boolean hasBias = 0 != bias0;
        long bits = target | bias0 | bias1 |
            (table.greatestRow() > 0 ? reduction.targetStride() | (hasBias ? reduction.biasStride() : 0) : 0);
        boolean hasF32 = false;
        for (int i = 0; i < regionCount; i++)
        {
            final int at = i * KernelArguments.SOURCE_WORDS;
            final int greatest = i < table.regions() ? table.greatestRow(i) : -1;
            bits |= greatest >= 0 ? words[at] : 0;
            bits |= greatest > 0 ? words[at + 1] : 0;
            if (ElementType.F32 == reduction.sourceType(i))
            {
                hasF32 |= greatest >= 0;
                words[at + 1] |= KernelArguments.STRIDE_F32;
            }
        }

        final int biases = (0 == bias0 ? 0 : 1) + (0 == bias1 ? 0 : 1);
        isAligned = 0 == bits % KernelArguments.VECTOR;
        hasParts = table.hasParts();
        isPlain = isAligned && !hasF32 && table.mostEntries() + biases <= KernelArguments.PLAIN_SUMMANDS;
    }

    /** Whether all rows are few, BF16 and aligned, so that a kernel may load them before it adds. */
    boolean isPlain()
    {
        return isPlain;
    }

    /** Whether that kernel has to be the one for parts. */
    boolean hasParts()
    {
        return hasParts;
    }

    int flags()
    {
        return (ElementType.F32 == reduction.targetType() ? KernelArguments.TARGET_F32 : 0) |
            (ElementType.F32 == reduction.partType() ? KernelArguments.PART_F32 : 0) |
            (reduction.isWeighted() ? KernelArguments.WEIGHTED : 0) |
            (isAligned ? 0 : KernelArguments.UNALIGNED);
    }

    long target()
    {
        return target;
    }

    long bias0()
    {
        return bias0;
    }

    long bias1()
    {
        return bias1;
    }

    int regionCount()
    {
        return regionCount;
    }

    /** For each source region, address of row 0, and stride with the mark of F32. */
    long[] words()
    {
        return words;
    }
}
