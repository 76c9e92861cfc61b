/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.kernels;

import dev.transload.kernels.Reduction;
import dev.transload.kernels.ReductionList;
import dev.transload.kernels.ScaleFormat;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;

/** An operation that was accepted, with its arguments; one of few that are used in turn. */
final class KernelOperation
{
    /** What an operation does. */
    enum Kind
    {
        /** Nothing: it is done when all before it is. */
        NOTHING,
        /** {@code copyRows}. */
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
    ReductionList list;
    Reduction reduction = new Reduction(1);
    long event;

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
    void sums(final Reduction given, final ReductionList groups)
    {
        list = groups;
        if (reduction.sourceRegions() < given.sourceRegions())
        {
            reduction = new Reduction(given.sourceRegions());
        }

        for (int i = 0; i < reduction.sourceRegions(); i++)
        {
            final boolean isGiven = i < given.sourceRegions();
            reduction.source(i, isGiven ? given.source(i) : null, isGiven ? given.sourceType(i) : null);
        }

        reduction.target(given.target(), given.targetType()).partType(given.partType())
            .biases(given.bias0(), given.bias1()).hidden(given.hidden()).weighted(given.isWeighted());
    }

    /** Holds on to no memory of the caller's. */
    void clear()
    {
        rows(null, null, null);
        scales = null;
        scaleRows = null;
        list = null;
    }
}
