/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import java.nio.ByteBuffer;

/** Bytes that tell who sent them, in which step of a bench, and where they belong. */
final class CheckedBytes
{
    private static final long RANKS = 0x9E3779B97F4A7C15L;
    private static final long STEPS = 0xC2B2AE3D27D4EB4FL;
    private static final int SHIFT = 29;

    private CheckedBytes()
    {
    }

    /** Fill [0, length) with what a rank sends in a step. */
    static void fill(final CheckedMemory memory, final long length, final int rank, final int step)
    {
        for (long from = 0; from < length; from += CheckedMemory.PIECE)
        {
            final int count = (int)Math.min(CheckedMemory.PIECE, length - from);
            final ByteBuffer view = memory.blank(from, count);
            for (int at = 0; at < count; at++)
            {
                view.put(at, byteAt(rank, step, from + at));
            }

            memory.store(from, count);
        }
    }

    /**
     * Compare memory with what a rank sends in a step.
     *
     * @param memory that the rank put to.
     * @param offset of its area.
     * @param length of the area that was put to.
     * @return offset of the first byte that is wrong, from the begin of the area, or -1.
     */
    static long mismatch(
        final CheckedMemory memory, final long offset, final long length, final int rank, final int step)
    {
        for (long from = 0; from < length; from += CheckedMemory.PIECE)
        {
            final int count = (int)Math.min(CheckedMemory.PIECE, length - from);
            final ByteBuffer view = memory.fetch(offset + from, count);
            for (int at = 0; at < count; at++)
            {
                if (view.get(at) != byteAt(rank, step, from + at))
                {
                    return from + at;
                }
            }
        }

        return -1;
    }

    static byte byteAt(final int rank, final int step, final long offset)
    {
        final long mixed = ((rank + 1) * RANKS ^ (step + 1) * STEPS ^ (offset >>> 3)) * RANKS;
        return (byte)((mixed ^ mixed >>> SHIFT) >>> ((offset & 7) << 3));
    }
}
