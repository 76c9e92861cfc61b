/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.ElementType;
import java.util.Arrays;

/**
 * Summands of one group, in order: biases, which are BF16, and sources. Reused from group to group; it
 * grows to the longest group and stays so.
 */
final class SourceRows
{
    private static final int INITIAL_CAPACITY = 16;

    private RegionView[] views = new RegionView[INITIAL_CAPACITY];
    private long[] offsets = new long[INITIAL_CAPACITY];
    private float[] weights = new float[INITIAL_CAPACITY];
    private ElementType[] types = new ElementType[INITIAL_CAPACITY];
    private boolean weighted;
    private int biases;
    private int count;
    private int leadingBf16;
    private int bf16;
    private int rounded;

    /**
     * Empty the group.
     *
     * @param isWeighted whether weights count.
     */
    void begin(final boolean isWeighted)
    {
        weighted = isWeighted;
        biases = 0;
        count = 0;
        leadingBf16 = 0;
        bf16 = 0;
        rounded = 0;
    }

    /**
     * Add a bias; in a weighted group all biases come before the first source.
     *
     * @param view   of its region.
     * @param offset byte offset.
     */
    void addBias(final RegionView view, final long offset)
    {
        add(view, ElementType.BF16, offset, 1.0f);
        biases++;
    }

    /**
     * Add a source.
     *
     * @param view   of its region.
     * @param type   BF16 or F32.
     * @param offset byte offset.
     * @param weight which counts if the group is weighted.
     */
    void addSource(final RegionView view, final ElementType type, final long offset, final float weight)
    {
        add(view, type, offset, weighted ? weight : 1.0f);
    }

    private void add(final RegionView view, final ElementType type, final long offset, final float weight)
    {
        if (count == offsets.length)
        {
            final int capacity = 2 * count;
            views = Arrays.copyOf(views, capacity);
            offsets = Arrays.copyOf(offsets, capacity);
            weights = Arrays.copyOf(weights, capacity);
            types = Arrays.copyOf(types, capacity);
        }

        if (ElementType.BF16 == type)
        {
            leadingBf16 += bf16 == count ? 1 : 0;
            bf16++;
        }

        views[count] = view;
        offsets[count] = offset;
        weights[count] = weight;
        types[count] = type;
        count++;
    }

    /** Have the sum of the rows so far rounded to BF16 before the next one is added; such groups have no weights. */
    void round()
    {
        rounded = count;
    }

    /**
     * Leading rows whose sum is rounded to BF16.
     *
     * @return number of rows, 0 where nothing is rounded before the end.
     */
    int rounded()
    {
        return rounded;
    }

    /** Forget all rows, and the regions that they were in. */
    void clear()
    {
        Arrays.fill(views, null);
        begin(false);
    }

    /** Rows of the group. */
    int count()
    {
        return count;
    }

    /**
     * Rows before the first F32 one.
     *
     * @return number of leading BF16 rows.
     */
    int leadingBf16()
    {
        return leadingBf16;
    }

    /**
     * Whether the rows are first BF16, then F32.
     *
     * @return false where a BF16 row comes after an F32 one.
     */
    boolean isBf16First()
    {
        return leadingBf16 == bf16;
    }

    /**
     * Type of a row.
     *
     * @param row index.
     * @return BF16 or F32.
     */
    ElementType typeOf(final int row)
    {
        return types[row];
    }

    /** Whether a row is added, or multiplied and added with one rounding. */
    boolean isWeighted(final int row)
    {
        return weighted && row >= biases;
    }

    /**
     * Weight of a row.
     *
     * @param row index.
     * @return weight; 1 for biases and in unweighted groups.
     */
    float weightOf(final int row)
    {
        return weights[row];
    }

    /**
     * Address of a row.
     *
     * @param row index.
     * @return address of its first byte.
     */
    long addressOf(final int row)
    {
        return views[row].addressOf(offsets[row]);
    }

    /** Whether all rows begin in the same window. Opens none. */
    boolean isInOneWindow()
    {
        for (int row = 1; row < count; row++)
        {
            if (views[row] != views[0] || views[row].windowIndex(offsets[row]) != views[0].windowIndex(offsets[0]))
            {
                return false;
            }
        }

        return true;
    }

    /**
     * Window of a row.
     *
     * @param row index.
     * @return window in the form of the arithmetic.
     */
    Object windowOf(final int row)
    {
        return views[row].window(offsets[row]);
    }

    /**
     * Offset of a row in its window.
     *
     * @param row index.
     * @return byte offset.
     */
    int offsetInWindow(final int row)
    {
        return views[row].offsetInWindow(offsets[row]);
    }
}
