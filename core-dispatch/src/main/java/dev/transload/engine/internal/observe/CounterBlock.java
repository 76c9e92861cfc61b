/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.observe;

import java.nio.ByteBuffer;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/** Counters with one writing thread and any readers, on cache lines that they share with nothing else. */
public final class CounterBlock
{
    /** Adjacent lines are fetched in pairs. */
    private static final int ALIGNMENT = 128;

    private final ByteBuffer memory;
    private final UnsafeBuffer buffer;

    public CounterBlock(final int counters)
    {
        memory = BufferUtil.allocateDirectAligned(BitUtil.align(counters * Long.BYTES, ALIGNMENT), ALIGNMENT);
        buffer = new UnsafeBuffer(memory);
    }

    /** Add, by the writing thread. */
    public void add(final int counter, final long amount)
    {
        final int at = counter * Long.BYTES;
        buffer.putLongOrdered(at, buffer.getLong(at) + amount);
    }

    /** Raise to a value that may be less than what is there, by the writing thread. */
    public void raise(final int counter, final long value)
    {
        final int at = counter * Long.BYTES;
        if (value > buffer.getLong(at))
        {
            buffer.putLongOrdered(at, value);
        }
    }

    /** Read, by any thread. */
    public long get(final int counter)
    {
        return buffer.getLongVolatile(counter * Long.BYTES);
    }
}
