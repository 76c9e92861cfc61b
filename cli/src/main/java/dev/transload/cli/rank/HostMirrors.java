/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.cli.verify.Outputs;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongFunction;

/**
 * Tensors as the JVM sees them: those of host memory themselves, of others copies, which live until this is closed. A
 * tensor is copied to the same memory each time, because pinned memory is slow to allocate.
 */
public final class HostMirrors implements AutoCloseable
{
    private static final int PIECE_BYTES = 1 << 28;

    private final LongFunction<TensorMemory> allocator;
    private final Map<Tensor, Tensor> copies = new HashMap<>();

    /**
     * For the tensors of an engine.
     *
     * @param allocator of the engine's host memory, by its bytes.
     */
    public HostMirrors(final LongFunction<TensorMemory> allocator)
    {
        this.allocator = allocator;
    }

    /**
     * Begin to fill a tensor.
     *
     * @param tensor any.
     * @return the tensor itself, or its copy, at first of zeroes, which {@link #bring} takes to it.
     */
    public Tensor blank(final Tensor tensor)
    {
        if (tensor.memory().kind().isHost())
        {
            return tensor;
        }

        return copies.computeIfAbsent(tensor, (copied) -> new Tensor(
            allocator.apply(Math.max(1, tensor.bytes())), 0, tensor.type(), tensor.rows(), tensor.columns()));
    }

    /** Take a filled blank to where it belongs. */
    public void bring(final Tensor filled, final Tensor tensor)
    {
        for (long from = 0; filled != tensor && from < tensor.bytes(); from += PIECE_BYTES)
        {
            tensor.memory().copyFromHost(tensor.offset() + from, filled.memory().hostView(from, piece(tensor, from)));
        }
    }

    /**
     * A tensor to look into.
     *
     * @param tensor any, or null.
     * @return the tensor itself, or a copy of it.
     */
    public Tensor of(final Tensor tensor)
    {
        if (null == tensor)
        {
            return null;
        }

        final Tensor mirror = blank(tensor);
        fetch(tensor, mirror, 0, tensor.rows());
        return mirror;
    }

    /**
     * Copy some rows of a tensor.
     *
     * @param tensor   any.
     * @param mirror   its {@link #blank}; nothing is copied where that is the tensor itself.
     * @param firstRow to copy.
     * @param rows     to copy.
     */
    public void fetch(final Tensor tensor, final Tensor mirror, final int firstRow, final int rows)
    {
        final long end = (firstRow + rows) * tensor.rowBytes();
        for (long from = firstRow * tensor.rowBytes(); mirror != tensor && from < end; from += PIECE_BYTES)
        {
            tensor.memory().copyToHost(tensor.offset() + from,
                mirror.memory().hostView(from, (int)Math.min(PIECE_BYTES, end - from)));
        }
    }

    /** All that a rank was given. */
    Outputs of(final Outputs outputs)
    {
        final DispatchOutput received = outputs.received();
        return new Outputs(outputs.rows(), new DispatchOutput(of(received.x()), of(received.xScales()),
            of(received.topkIdx()), of(received.topkWeights()), of(received.srcTokenIdx())),
            outputs.rowsPerExpert(), outputs.rankPrefixSum(), of(outputs.combined()), of(outputs.combinedWeights()));
    }

    private static int piece(final Tensor tensor, final long from)
    {
        return (int)Math.min(PIECE_BYTES, tensor.bytes() - from);
    }

    @Override
    public void close()
    {
        copies.values().forEach((copy) -> copy.memory().close());
        copies.clear();
    }
}
