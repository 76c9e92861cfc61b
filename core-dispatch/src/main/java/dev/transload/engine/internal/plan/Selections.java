/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The experts of rows, row by row, in few bytes: a handle keeps them for each row. Of a row's K selections only those
 * of experts that are here are kept, behind a mask which says which ones these are; an expert takes 1, 2 or 4 bytes.
 */
public final class Selections
{
    private static final int NONE = -1;
    /** More than rows need at least comes by and by: a part of what is there, and no less than this. */
    private static final int GROWTH_SHIFT = 3;
    private static final int LEAST_GROWTH = 64;
    private static final VarHandle SHORT =
        MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.nativeOrder());
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());

    private byte[] bytes = new byte[0];
    private int topk;
    private int maskBytes;
    private int width = 1;
    private int row;
    private int length;

    /**
     * Have no rows.
     *
     * @param rows    to come; each has an expert at least.
     * @param experts that are here, by index.
     */
    void begin(final int rows, final int k, final int experts)
    {
        topk = k;
        maskBytes = (k + Byte.SIZE - 1) / Byte.SIZE;
        width = experts <= 0x100 ? 1 : experts <= 0x10000 ? Short.BYTES : Integer.BYTES;
        row = 0;
        length = 0;
        reserve(Math.multiplyExact(rows, maskBytes + width));
    }

    private void reserve(final int count)
    {
        if (bytes.length < count)
        {
            bytes = Arrays.copyOf(bytes, count);
        }
    }

    /** Begin the row behind the last one. */
    public void beginRow()
    {
        final int end = length + maskBytes + topk * width;
        if (bytes.length < end)
        {
            reserve(Math.max(end, bytes.length + Math.max(LEAST_GROWTH, bytes.length >> GROWTH_SHIFT)));
        }

        row = length;
        length += maskBytes;
        for (int i = row; i < length; i++)
        {
            bytes[i] = 0;
        }
    }

    /**
     * Add an expert of the row begun last.
     *
     * @param k position among the top-k, ascending.
     */
    public void add(final int k, final int expert)
    {
        bytes[row + (k >> 3)] |= (byte)(1 << (k & 7));
        switch (width)
        {
            case 1 -> bytes[length] = (byte)expert;
            case Short.BYTES -> SHORT.set(bytes, length, (short)expert);
            default -> INT.set(bytes, length, expert);
        }

        length += width;
    }

    /**
     * Read a row.
     *
     * @param at   where it begins; the first one at 0.
     * @param into experts by k, −1 for those that are not here.
     * @return where the next one begins.
     */
    int read(final int at, final int[] into)
    {
        int next = at + maskBytes;
        for (int k = 0; k < topk; k++)
        {
            into[k] = NONE;
            if (0 != (bytes[at + (k >> 3)] & 1 << (k & 7)))
            {
                into[k] = get(next);
                next += width;
            }
        }

        return next;
    }

    private int get(final int at)
    {
        return switch (width)
        {
            case 1 -> bytes[at] & 0xFF;
            case Short.BYTES -> (short)SHORT.get(bytes, at) & 0xFFFF;
            default -> (int)INT.get(bytes, at);
        };
    }
}
