/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Function;

/**
 * Views of the regions that were used last, so that a steady set of regions costs no allocation. Regions are told
 * apart by identity: a view never serves a region other than its own, and a view of a closed region is never asked
 * for again and drops out.
 */
final class RegionViews
{
    /** More than an engine's rings and one call's tensors. */
    static final int CAPACITY = 32;

    private final Function<ByteBuffer, Object> opener;
    private RegionView[] views = new RegionView[CAPACITY];
    private int next;

    /**
     * Empty.
     *
     * @param opener makes a window from a view.
     */
    RegionViews(final Function<ByteBuffer, Object> opener)
    {
        this.opener = opener;
    }

    /**
     * View of a host region.
     *
     * @param region   to view.
     * @param argument name of the region in messages.
     * @return view.
     */
    RegionView of(final MemoryRegion region, final String argument)
    {
        if (null == region)
        {
            throw new IllegalArgumentException(argument + " is null: must be a HOST region");
        }

        if (!region.kind().isHost())
        {
            throw new IllegalArgumentException(
                argument + " is of kind " + region.kind() + ": host row kernels work on HOST regions");
        }

        for (final RegionView view : views)
        {
            if (null != view && view.isOf(region))
            {
                return view;
            }
        }

        final RegionView view = new RegionView(region, opener);
        views[next] = view;
        next = (next + 1) % views.length;

        return view;
    }

    /**
     * Have room for the regions of one operation besides.
     *
     * @param regions of a reduction's sources, or of all parts of a copy.
     */
    void reserve(final int regions)
    {
        if (views.length < CAPACITY + regions)
        {
            views = Arrays.copyOf(views, CAPACITY + regions);
        }
    }

    /** Forget all regions. */
    void clear()
    {
        Arrays.fill(views, null);
    }
}
