/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.kernels;

import dev.transload.kernels.Fp8;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;

/** Whether all rows lie in their regions, and types and lengths are allowed: before anything is submitted. */
final class ArgumentChecks
{
    /** Biases are regions of the staged sums. */
    private static final int BIASES = 2;

    private ArgumentChecks()
    {
    }

    static void entries(final String name, final int from, final int count, final int size)
    {
        if ((from | count) < 0 || from > size - count)
        {
            throw new IllegalArgumentException("from=" + from + ", count=" + count + ": must lie within the " + size +
                " entries of " + name);
        }
    }

    static void sources(
        final String name, final MemoryRegion region, final RowList rows, final int from, final int count,
        final long bytes)
    {
        for (int i = from; i < from + count; i++)
        {
            row(name, region, i, rows.srcOffset(i), bytes);
        }
    }

    static void targets(
        final String name, final MemoryRegion region, final RowList rows, final int from, final int count,
        final long bytes)
    {
        for (int i = from; i < from + count; i++)
        {
            row(name, region, i, rows.dstOffset(i), bytes);
        }
    }

    static void castHidden(final int hidden)
    {
        if (hidden <= 0 || 0 != hidden % Fp8.GROUP)
        {
            throw new IllegalArgumentException("hidden=" + hidden + ": must be a positive multiple of " + Fp8.GROUP);
        }
    }

    static void reduction(
        final Reduction reduction, final RowTable table, final int from, final int count, final KernelMemory memory)
    {
        if (null != reduction.bias0() && reduction.sourceRegions() > RowTable.MAX_REGIONS - BIASES)
        {
            throw new IllegalArgumentException("a reduction with biases has " + reduction.sourceRegions() +
                " source regions: ASCEND row kernels take at most " + (RowTable.MAX_REGIONS - BIASES));
        }

        memory.check("target", reduction.target());
        for (int i = 0; i < reduction.sourceRegions(); i++)
        {
            checkIfSet("source", reduction.source(i), memory);
        }

        checkIfSet("bias0", reduction.bias0(), memory);
        checkIfSet("bias1", reduction.bias1(), memory);
        reduction.check(table, from, count);
    }

    static void scatter(
        final RowScatter scatter, final RowTable table, final int from, final int count, final KernelMemory memory)
    {
        checkIfSet("source", scatter.source(), memory);
        checkIfSet("scales", scatter.scales(), memory);
        for (int i = 0; i < scatter.targetRegions(); i++)
        {
            checkIfSet("target", scatter.target(i), memory);
            checkIfSet("scales target", scatter.scalesTarget(i), memory);
        }

        scatter.check(table, from, count);
    }

    private static void checkIfSet(final String name, final MemoryRegion region, final KernelMemory memory)
    {
        if (null != region)
        {
            memory.check(name, region);
        }
    }

    private static void row(
        final String name, final MemoryRegion region, final int entry, final long offset, final long bytes)
    {
        if (offset < 0 || offset > region.length() - bytes)
        {
            throw new IndexOutOfBoundsException(name + ": entry " + entry + " begins at byte " + offset + " and has " +
                bytes + " bytes, must lie within the region's " + region.length() + " bytes");
        }
    }
}
