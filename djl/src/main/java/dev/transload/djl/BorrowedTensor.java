/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.djl;

import ai.djl.ndarray.NDArray;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;

/**
 * Tensor over the memory of an {@link NDArray}. Close this object after all calls that use the tensor have completed.
 * Then close the array.
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
     * Returns the tensor. Calls of the engine can use the tensor, and so can calls of other engines over the same
     * transports.
     *
     * @return tensor over the array's memory.
     */
    public Tensor tensor()
    {
        return tensor;
    }

    /**
     * Returns the array.
     *
     * @return borrowed array.
     */
    public NDArray array()
    {
        return array;
    }

    /** Ends the registration of the memory. The array stays unchanged. */
    @Override
    public void close()
    {
        memory.close();
    }
}
