/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

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
    /** Copied by one operation each: much for a launch, little for a rank that has to stage it. */
    private static final int PIECE_BYTES = 1 << 20;

    /** Memory is that long at least. */
    private static final int LEAST_BYTES = 4096;
    private static final long MAX_BYTES = Integer.MAX_VALUE + 1L - LEAST_BYTES;

    private final LongFunction<TensorMemory> allocator;
    private TensorMemory memory;
    private RowList pieces;
    private RowList rest;
    private Tensor device;
    private Tensor host;
    private int submitted;

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
            pieces = null;
        }

        device = tensor;
        host = new Tensor(memory, 0, tensor.type(), tensor.rows(), tensor.columns());
        submitted = 0;
        return host;
    }

    /** The next power of two, so that all the smaller memory together is less. */
    private static long grown(final long bytes)
    {
        final long count = Math.max(1, (bytes + LEAST_BYTES - 1) / LEAST_BYTES);
        final long doubled = Long.highestOneBit(2 * count - 1) * LEAST_BYTES;
        return doubled > MAX_BYTES ? count * LEAST_BYTES : doubled;
    }

    /**
     * Submit copies of the first rows, as far as there is room for them.
     *
     * @param rows   at most, counted from the first one.
     * @param isHome whether they go to host memory, else to the device.
     * @return true once all are submitted.
     */
    boolean submit(final RowKernels kernels, final int rows, final boolean isHome)
    {
        final long bytes = Math.min(rows, device.rows()) * device.rowBytes();
        final int count = (int)(bytes / PIECE_BYTES);
        if (0 == submitted)
        {
            fill(kernels, count, (int)(bytes % PIECE_BYTES), isHome);
        }

        while (submitted < count && copy(kernels, pieces, submitted, isHome))
        {
            submitted++;
        }

        if (submitted == count && (0 == rest.rowLength() || copy(kernels, rest, 0, isHome)))
        {
            submitted++;
        }

        return submitted > count;
    }

    private void fill(final RowKernels kernels, final int count, final int left, final boolean isHome)
    {
        if (null == pieces)
        {
            pieces = kernels.allocateRows(Math.max(1, (int)(memory.length() / PIECE_BYTES))).rowLength(PIECE_BYTES);
            rest = null == rest ? kernels.allocateRows(1) : rest;
        }

        for (int i = 0; i < count; i++)
        {
            set(pieces, i, (long)i * PIECE_BYTES, isHome);
        }

        set(rest.rowLength(left), 0, (long)count * PIECE_BYTES, isHome);
    }

    private void set(final RowList list, final int index, final long at, final boolean isHome)
    {
        list.set(index, isHome ? device.offset() + at : at, isHome ? at : device.offset() + at);
    }

    private boolean copy(final RowKernels kernels, final RowList list, final int index, final boolean isHome)
    {
        final MemoryRegion there = device.memory().scaleUpRegion();
        final MemoryRegion here = host.memory().scaleUpRegion();
        return kernels.copyRows(isHome ? there : here, isHome ? here : there, list, index, 1) >= 0;
    }
}
