/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.verify;

import dev.transload.engine.DataType;
import dev.transload.engine.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.Supplier;

/** Rows of tensors, one by one or in pieces, so that a tensor may be larger than a buffer can be. */
public final class HostRows
{
    private static final int PIECE_BYTES = 1 << 20;

    /** As an index, count or range it is far out of bounds; as a float it is a NaN. */
    private static final byte[] POISON = poison();

    private HostRows()
    {
    }

    private static byte[] poison()
    {
        final byte[] poison = new byte[PIECE_BYTES];
        Arrays.fill(poison, (byte)0xFD);
        return poison;
    }

    /**
     * A row for the JVM.
     *
     * @param tensor in host memory.
     * @param row    in [0, rows).
     * @return its bytes, in native order.
     */
    public static ByteBuffer row(final Tensor tensor, final int row)
    {
        return tensor.memory().hostView(
            tensor.offset() + row * tensor.rowBytes(), Math.toIntExact(tensor.rowBytes()));
    }

    /**
     * Turn one bit in the middle of a row.
     *
     * @param tensor in host memory.
     * @param row    in [0, rows).
     */
    public static void flipBit(final Tensor tensor, final int row)
    {
        final ByteBuffer bytes = row(tensor, row);
        bytes.put(bytes.capacity() / 2, (byte)(bytes.get(bytes.capacity() / 2) ^ 1));
    }

    /**
     * Have two rows change places.
     *
     * @param tensor in host memory.
     * @param first  in [0, rows).
     * @param second in [0, rows).
     */
    public static void swap(final Tensor tensor, final int first, final int second)
    {
        final byte[] kept = new byte[Math.toIntExact(tensor.rowBytes())];
        row(tensor, first).get(kept);
        row(tensor, first).put(row(tensor, second));
        row(tensor, second).put(kept);
    }

    /**
     * Compare a row with what it must be.
     *
     * @param tensor in host memory.
     * @param row    in [0, rows).
     * @param must   bytes, of which some are the row's.
     * @param from   first of those.
     * @return the first byte of the row that differs, -1 where none does.
     */
    public static int mismatch(final Tensor tensor, final int row, final ByteBuffer must, final int from)
    {
        return row(tensor, row).mismatch(must.slice(from, Math.toIntExact(tensor.rowBytes())));
    }

    /**
     * Compare a row of BF16 elements with what it must be.
     *
     * @param tensor in host memory.
     * @param row    in [0, rows).
     * @param must   bytes of the row, in native order.
     * @param name   of what is compared, asked for where it differs.
     * @return null when it is equal, else one sentence.
     */
    public static String bf16Difference(
        final Tensor tensor, final int row, final ByteBuffer must, final Supplier<String> name)
    {
        final int at = mismatch(tensor, row, must, 0);
        if (at < 0)
        {
            return null;
        }

        final int element = at / Short.BYTES;
        return String.format("%s[%d] is 0x%04x, must be 0x%04x", name.get(), element,
            row(tensor, row).getShort(element * Short.BYTES), must.getShort(element * Short.BYTES));
    }

    /**
     * Overwrite a tensor with bytes that no call leaves, so that what the next call does not write differs from all
     * that it must be.
     *
     * @param tensor of any memory, or null.
     */
    public static void poison(final Tensor tensor)
    {
        poison(tensor, 0, null == tensor ? 0 : tensor.rows());
    }

    /**
     * Overwrite rows, as {@link #poison(Tensor)}.
     *
     * @param tensor   of any memory, or null.
     * @param firstRow to overwrite.
     * @param rows     to overwrite.
     */
    public static void poison(final Tensor tensor, final int firstRow, final int rows)
    {
        final long end = null == tensor ? 0 : (firstRow + rows) * tensor.rowBytes();
        for (long from = null == tensor ? 0 : firstRow * tensor.rowBytes(); from < end; from += POISON.length)
        {
            tensor.memory().copyFromHost(tensor.offset() + from,
                ByteBuffer.wrap(POISON, 0, (int)Math.min(POISON.length, end - from)));
        }
    }

    /**
     * Turn the sign of every element, in place.
     *
     * @param tensor of BF16 or E4M3 elements, in any memory.
     */
    public static void negate(final Tensor tensor)
    {
        final long signs = DataType.BF16 == tensor.type() ? 0x8000_8000_8000_8000L : 0x8080_8080_8080_8080L;
        final ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES).order(ByteOrder.nativeOrder());
        final long[] words = new long[PIECE_BYTES / Long.BYTES];
        for (long from = 0; from < tensor.bytes(); from += PIECE_BYTES)
        {
            piece.clear().limit((int)Math.min(PIECE_BYTES, tensor.bytes() - from));
            tensor.memory().copyToHost(tensor.offset() + from, piece);
            final int count = piece.limit() / Long.BYTES;
            piece.flip();
            piece.asLongBuffer().get(words, 0, count);
            for (int i = 0; i < count; i++)
            {
                words[i] ^= signs;
            }

            piece.asLongBuffer().put(words, 0, count);
            tensor.memory().copyFromHost(tensor.offset() + from, piece);
        }
    }
}
