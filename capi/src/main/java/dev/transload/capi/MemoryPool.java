/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.capi;

import dev.transload.engine.DataType;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongFunction;

/**
 * Memory of one kind for the tensors that an engine gives out, used again once they were deleted. Sizes are rounded up
 * by a quarter at most, so that calls of slightly different sizes share memory. Thread-safe.
 */
final class MemoryPool
{
    /** A tensor that was given out, until it is released. */
    static final class Lease
    {
        private final MemoryPool pool;
        private final Tensor tensor;
        private Deque<TensorMemory> home;

        private Lease(final MemoryPool pool, final Tensor tensor, final Deque<TensorMemory> home)
        {
            this.pool = pool;
            this.tensor = tensor;
            this.home = home;
        }

        Tensor tensor()
        {
            return tensor;
        }

        /** Nothing reads or writes the tensor any more. Idempotent. */
        void release()
        {
            synchronized (pool)
            {
                if (null != home)
                {
                    home.push(tensor.memory());
                    home = null;
                    pool.leased--;
                }
            }
        }
    }

    private static final long SMALLEST = 4096;
    private static final int STEPS = 4;

    private final LongFunction<TensorMemory> allocator;
    private final Map<Long, Deque<TensorMemory>> free = new HashMap<>();
    private int leased;

    MemoryPool(final LongFunction<TensorMemory> allocator)
    {
        this.allocator = allocator;
    }

    synchronized Lease lease(final DataType type, final int rows, final int columns)
    {
        final long size = rounded((long)rows * columns * type.bytes());
        final Deque<TensorMemory> unused = free.computeIfAbsent(size, (any) -> new ArrayDeque<>());
        final TensorMemory memory = unused.isEmpty() ? allocator.apply(size) : unused.pop();
        leased++;
        return new Lease(this, new Tensor(memory, 0, type, rows, columns), unused);
    }

    synchronized int leased()
    {
        return leased;
    }

    private static long rounded(final long bytes)
    {
        final long least = Math.max(SMALLEST, bytes);
        final long step = Long.highestOneBit(least) / STEPS;
        return (least + step - 1) / step * step;
    }
}
