/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.kernels;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.ReductionList;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;

/** Whether all rows lie in their regions, and types and lengths are allowed: before anything is submitted. */
final class ArgumentChecks
{
    private static final int MULTIPLE = 8;

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

    static void reduction(final Reduction reduction, final KernelMemory memory)
    {
        if (reduction.hidden() <= 0 || 0 != reduction.hidden() % MULTIPLE)
        {
            throw new IllegalArgumentException(
                "hidden=" + reduction.hidden() + ": must be a positive multiple of " + MULTIPLE);
        }

        type("partType", reduction.partType());
        type("targetType", reduction.targetType());
        memory.check("target", reduction.target());
        for (int i = 0; i < reduction.sourceRegions(); i++)
        {
            if (null != reduction.source(i))
            {
                type("sourceType", reduction.sourceType(i));
                memory.check("source", reduction.source(i));
            }
        }

        if (null != reduction.bias0())
        {
            memory.check("bias0", reduction.bias0());
        }

        if (null != reduction.bias1())
        {
            memory.check("bias1", reduction.bias1());
        }
    }

    static void groups(final Reduction reduction, final ReductionList list, final int from, final int count)
    {
        final long wide = (long)reduction.hidden() * ElementType.BF16.bytes();
        final long sum = (long)reduction.hidden() * reduction.targetType().bytes();
        for (int i = from; i < from + count; i++)
        {
            row("target", reduction.target(), i, list.targetOffset(i), sum);
            if (null != reduction.bias0())
            {
                row("bias0", reduction.bias0(), i, list.bias0Offset(i), wide);
            }

            if (null != reduction.bias1())
            {
                row("bias1", reduction.bias1(), i, list.bias1Offset(i), wide);
            }

            final int first = list.firstSource(i);
            entries("list's sources", first, list.sourceCount(i), list.sources());
            for (int k = first; k < first + list.sourceCount(i); k++)
            {
                source(reduction, list, k);
            }
        }
    }

    private static void source(final Reduction reduction, final ReductionList list, final int index)
    {
        final int region = list.sourceRegion(index);
        if (region >= reduction.sourceRegions() || null == reduction.source(region))
        {
            throw new IllegalArgumentException("source: entry " + index + " names region " + region +
                ": must be one of the reduction's " + reduction.sourceRegions() + " source regions, and set");
        }

        row("source", reduction.source(region), index, list.sourceOffset(index),
            (long)reduction.hidden() * reduction.sourceType(region).bytes());
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

    private static void type(final String name, final ElementType type)
    {
        if (ElementType.BF16 != type && ElementType.F32 != type)
        {
            throw new IllegalArgumentException(name + "=" + type + ": must be BF16 or F32");
        }
    }
}
