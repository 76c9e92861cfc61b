/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.verify;

import dev.transload.engine.Tensor;
import java.nio.ByteBuffer;

/** Rows of tensors in host memory, one by one, so that a tensor may be larger than a buffer can be. */
public final class HostRows
{
    private HostRows()
    {
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
}
