/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.run;

import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import java.util.function.LongFunction;

/**
 * A tensor on the payload's device and its mirror in host memory; row kernels copy one to the other. Memory has grown
 * to the largest tensor so far, so that calls of the same size allocate nothing. Memory that became too
 * small stays until the engine closes it, after the row kernels: a device may keep what it copied registered.
 */
final class TopkMirror
{
    /** Memory grows by such pieces. */
    private static final int PIECE_BYTES = 4096;
    private static final long MAX_BYTES = Integer.MAX_VALUE + 1L - PIECE_BYTES;

    private final LongFunction<TensorMemory> allocator;
    private TensorMemory memory;
    private RowList row;
    private Tensor device;
    private Tensor host;

    /** Of memory that the allocator gives by bytes. */
    TopkMirror(final LongFunction<TensorMemory> allocator)
    {
        this.allocator = allocator;
    }

    /** The mirror of a tensor, in its shape, whose content is not yet copied. */
    Tensor of(final Tensor tensor)
    {
        if (null == memory || memory.length() < tensor.bytes())
        {
            memory = allocator.apply(grown(tensor.bytes()));
        }

        device = tensor;
        host = new Tensor(memory, 0, tensor.type(), tensor.rows(), tensor.columns());
        return host;
    }

    /** The next power of two of pieces, so that all the smaller memory together is less. */
    private static long grown(final long bytes)
    {
        final long count = Math.max(1, (bytes + PIECE_BYTES - 1) / PIECE_BYTES);
        final long doubled = Long.highestOneBit(2 * count - 1) * PIECE_BYTES;
        return doubled > MAX_BYTES ? count * PIECE_BYTES : doubled;
    }

    /**
     * Submit a copy of the first rows, in one piece.
     *
     * @param kernels of the payload's kind.
     * @param rows    at most, counted from the first one.
     * @param isHome  whether they go to host memory, else to the device.
     * @return true once it is submitted.
     */
    boolean submit(final RowKernels kernels, final int rows, final boolean isHome)
    {
        row = null == row ? kernels.allocateRows(1) : row;
        row.rowLength((int)(Math.min(rows, device.rows()) * device.rowBytes()));
        row.set(0, isHome ? device.offset() : 0, isHome ? 0 : device.offset());
        final MemoryRegion there = device.memory().scaleUpRegion();
        final MemoryRegion here = host.memory().scaleUpRegion();
        return kernels.copyRows(isHome ? there : here, isHome ? here : there, row, 0, 1) >= 0;
    }
}
