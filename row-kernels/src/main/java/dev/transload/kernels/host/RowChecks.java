/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.Fp8;
import dev.transload.spi.RowList;

/** Refusals of what a caller may not ask; each message names the argument, its value and what is allowed. */
final class RowChecks
{
    private static final int REDUCED_MULTIPLE = 8;
    private static final int MAX_HIDDEN = RegionView.MAX_ROW_BYTES / Float.BYTES;

    private RowChecks()
    {
    }

    /** The rows must be entries of the list. */
    static void entries(final String argument, final int from, final int count, final int size)
    {
        if (from < 0 || count < 0 || from > size - count)
        {
            throw new IllegalArgumentException("from = " + from + ", count = " + count + ": must lie within the " +
                size + " entries of " + argument);
        }
    }

    /**
     * The rows of a copy must be entries of the list, and lie in their regions.
     *
     * @param source view of the region of the source rows.
     * @param target view of the region of the target rows.
     * @param rows   list of rows.
     * @param from   first row.
     * @param count  of rows.
     */
    static void copy(
        final RegionView source, final RegionView target, final RowList rows, final int from, final int count)
    {
        entries("rows", from, count, rows.capacity());
        sources("src", source, rows, from, count, rows.rowLength());
        targets("dst", target, rows, from, count, rows.rowLength());
    }

    /** Source rows must lie in their region. */
    static void sources(
        final String argument, final RegionView view, final RowList rows, final int from, final int count,
        final long bytes)
    {
        for (int i = from; i < from + count; i++)
        {
            row(argument, view, i, rows.srcOffset(i), bytes);
        }
    }

    /** Target rows must lie in their region. */
    static void targets(
        final String argument, final RegionView view, final RowList rows, final int from, final int count,
        final long bytes)
    {
        for (int i = from; i < from + count; i++)
        {
            row(argument, view, i, rows.dstOffset(i), bytes);
        }
    }

    /**
     * A row must lie in its region.
     *
     * @param argument name of the region.
     * @param view     of the region.
     * @param entry    index of the row or group in its list.
     * @param offset   where the row begins.
     * @param bytes    of the row.
     */
    static void row(
        final String argument, final RegionView view, final int entry, final long offset, final long bytes)
    {
        if (offset < 0 || offset > view.length() - bytes)
        {
            throw new IndexOutOfBoundsException(argument + ": entry " + entry + " begins at byte " + offset +
                " and has " + bytes + " bytes, must lie within the region's " + view.length() + " bytes");
        }
    }

    /** Row length of a reduction, as far as host memory has a limit of its own. */
    static void summedHidden(final int hidden)
    {
        hidden(hidden, REDUCED_MULTIPLE);
    }

    /** Row length of a cast. */
    static void castHidden(final int hidden)
    {
        hidden(hidden, Fp8.GROUP);
    }

    private static void hidden(final int hidden, final int multiple)
    {
        if (hidden <= 0 || 0 != hidden % multiple || hidden > MAX_HIDDEN)
        {
            throw new IllegalArgumentException("hidden = " + hidden + ": must be a positive multiple of " + multiple +
                ", at most " + MAX_HIDDEN);
        }
    }
}
