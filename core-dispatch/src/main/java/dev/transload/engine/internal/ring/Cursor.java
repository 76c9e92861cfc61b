/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/** A monotone counter between threads of this rank: one writer, any readers, on cache lines of its own. */
public final class Cursor
{
    private static final int BYTES = 128;

    private final ByteBuffer memory = BufferUtil.allocateDirectAligned(BYTES, BYTES);
    private final UnsafeBuffer buffer = new UnsafeBuffer(memory);

    /**
     * Publish.
     *
     * @param value with everything written before it.
     */
    public void setRelease(final long value)
    {
        buffer.putLongOrdered(0, value);
    }

    public long getAcquire()
    {
        return buffer.getLongVolatile(0);
    }
}
