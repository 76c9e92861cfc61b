/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import java.nio.ByteBuffer;

/** Copies in memory, of one size after the other through two large buffers. */
final class ColdCopy implements Limit
{
    private static final int PAGE = 4096;

    private final ByteBuffer source;
    private final ByteBuffer target;

    ColdCopy(final int bytes)
    {
        source = touched(bytes);
        target = touched(bytes);
    }

    @Override
    public String name()
    {
        return "memcpy";
    }

    /** {@inheritDoc} So many copies, one behind the other. */
    @Override
    public double gbps(final int size, final int count)
    {
        final long begin = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            target.put(i * size, source, i * size, size);
        }

        return (double)count * size / (System.nanoTime() - begin);
    }

    private static ByteBuffer touched(final int bytes)
    {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(bytes);
        for (int at = 0; at < bytes; at += PAGE)
        {
            buffer.put(at, (byte)1);
        }

        return buffer;
    }
}
