/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.StepOutput;
import dev.transload.spi.MemoryRegion;

/** Where the parts of an own output lie, which need not be one region as {@link StepOutput} is. */
public final class OwnOutput
{
    MemoryRegion rows;
    long rowsAt;
    MemoryRegion scales;
    long scalesAt;
    /** Addresses in host memory. */
    long srcInfo;
    long ranges;
    long counts;

    /**
     * Rows.
     *
     * @param region of the rows' kind.
     * @param offset of the first one.
     * @return this.
     */
    public OwnOutput rows(final MemoryRegion region, final long offset)
    {
        rows = region;
        rowsAt = offset;
        return this;
    }

    /**
     * Scales of FP8 rows.
     *
     * @param region of the rows' kind, null where there are none.
     * @param offset of the first one.
     * @return this.
     */
    public OwnOutput scales(final MemoryRegion region, final long offset)
    {
        scales = region;
        scalesAt = offset;
        return this;
    }

    /**
     * What is known of the rows, by addresses in host memory.
     *
     * @param tokens of {@code srcInfo}.
     * @param layout of {@code layoutRange}.
     * @param totals of {@code count}.
     * @return this.
     */
    public OwnOutput info(final long tokens, final long layout, final long totals)
    {
        srcInfo = tokens;
        ranges = layout;
        counts = totals;
        return this;
    }

    OwnOutput set(final StepOutput output, final Call call)
    {
        final long info = output.info().address();
        return rows(output.rows(), 0).scales(output.rows(), StepOutput.scalesOffset(call.places(), call.hidden))
            .info(info, info + StepOutput.layoutRangeOffset(call.places()),
            info + StepOutput.countOffset(call.places(), call.localExperts * call.shape.ranks()));
    }
}
