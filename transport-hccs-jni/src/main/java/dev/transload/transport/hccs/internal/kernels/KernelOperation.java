/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.kernels;

import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.ScaleFormat;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;

/** An operation that was accepted, with its arguments; one of few that are used in turn. */
final class KernelOperation
{
    /** What an operation does. */
    enum Kind
    {
        /** Nothing, before the parts that may follow: it is done when all before it is. */
        NOTHING,
        /** {@code copyRows}, or a part of it or of {@code scatterRows}. */
        COPY,
        /** {@code zeroRows}. */
        ZERO,
        /** {@code reduceRows}, by the CPU. */
        SUM,
        /** {@code reduceRows}, by the device. */
        SUM_ON_DEVICE,
        /** {@code quantizeRows}. */
        QUANTIZE,
        /** {@code dequantizeRows}. */
        DEQUANTIZE,
        /** {@code waitFor}. */
        WAIT,
        /** {@code record}. */
        RECORD
    }

    Kind kind;
    MemoryRegion source;
    MemoryRegion target;
    MemoryRegion scales;
    RowList rows;
    RowList scaleRows;
    int from;
    int count;
    int hidden;
    ScaleFormat format;
    RowTable table;
    Reduction reduction = new Reduction(1);
    long event;

    private final RowCopies parts = new RowCopies();
    private final ScatterCopies copies = new ScatterCopies();
    private int nextPart;

    KernelOperation set(final Kind newKind, final int first, final int entries)
    {
        kind = newKind;
        from = first;
        count = entries;
        return this;
    }

    KernelOperation rows(final MemoryRegion src, final MemoryRegion dst, final RowList list0)
    {
        source = src;
        target = dst;
        rows = list0;
        return this;
    }

    void cast(final MemoryRegion scaleRegion, final RowList scaleList, final int elements, final ScaleFormat scale)
    {
        scales = scaleRegion;
        scaleRows = scaleList;
        hidden = elements;
        format = scale;
    }

    /** Keeps a copy of the reduction, whose owner may change it after the call. */
    void sums(final Reduction given, final RowTable rowTable)
    {
        table = rowTable;
        if (reduction.sourceRegions() < given.sourceRegions())
        {
            reduction = new Reduction(given.sourceRegions());
        }

        reduction.set(given);
    }

    /** Keeps a copy of the scatter, of the rows that were set. */
    void scatters(final RowScatter given, final RowTable rowTable)
    {
        copies.begin(given, rowTable, from, count);
    }

    /** Keeps a copy of the parts that have bytes; their owner may change them after the call. */
    void parts(final RowCopies given)
    {
        for (int i = 0; i < given.parts(); i++)
        {
            if (given.count(i) > 0 && given.rows(i).rowLength() > 0)
            {
                parts.add(given.src(i), given.dst(i), given.rows(i), given.from(i), given.count(i));
            }
        }
    }

    /** Becomes the copy of its next part; false where none is left. Of a scatter, the list is written now. */
    boolean takePart(final Moves moves)
    {
        if (nextPart == parts.parts())
        {
            return copies.take(this, moves);
        }

        set(Kind.COPY, parts.from(nextPart), parts.count(nextPart))
            .rows(parts.src(nextPart), parts.dst(nextPart), parts.rows(nextPart));
        nextPart++;
        return true;
    }

    /** Holds on to no memory of the caller's. */
    void clear()
    {
        parts.clear();
        nextPart = 0;
        rows(null, null, null);
        scales = null;
        scaleRows = null;
        table = null;
        copies.clear();
    }
}
