/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.djl;

import ai.djl.ndarray.NDArray;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;

/**
 * The memory of an {@link NDArray} as a tensor of an engine. Close it when the calls that use it have completed, and
 * close the array after it.
 */
public final class BorrowedTensor implements AutoCloseable
{
    private final NDArray array;
    private final TensorMemory memory;
    private final Tensor tensor;

    BorrowedTensor(final NDArray array, final TensorMemory memory, final Tensor tensor)
    {
        this.array = array;
        this.memory = memory;
        this.tensor = tensor;
    }

    /**
     * The tensor, for calls of the engine and of others over the same transports.
     *
     * @return a view of the array's own bytes.
     */
    public Tensor tensor()
    {
        return tensor;
    }

    /**
     * The array.
     *
     * @return as it was borrowed.
     */
    public NDArray array()
    {
        return array;
    }

    /** Ends the registration; the array stays as it is. */
    @Override
    public void close()
    {
        memory.close();
    }
}
