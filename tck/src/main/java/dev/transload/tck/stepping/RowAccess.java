/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** How kernels reach rows: of this fabric's regions of any kind, and of anybody's HOST regions. */
final class RowAccess
{
    private RowAccess()
    {
    }

    static ByteBuffer read(final MemoryRegion region, final long offset, final int length, final long submission)
    {
        final byte[] bytes = new byte[length];
        if (region instanceof SteppingRegion own)
        {
            own.readLocal(offset, bytes, submission);
        }
        else
        {
            region.hostView(offset, length).get(bytes);
        }

        return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    }

    static void write(final MemoryRegion region, final long offset, final byte[] bytes)
    {
        if (region instanceof SteppingRegion own)
        {
            own.writeLocal(offset, bytes);
        }
        else
        {
            region.hostView(offset, bytes.length).put(bytes);
        }
    }

    static void check(
        final String what, final MemoryKind kind, final MemoryRegion region, final long offset, final long length)
    {
        if (!region.kind().equals(kind) && !region.kind().isHost())
        {
            throw new IllegalArgumentException(
                what + ": the region is of " + region.kind() + ", must be of " + kind + " or HOST");
        }

        if (offset < 0 || offset > region.length() - length)
        {
            throw new IndexOutOfBoundsException(what + ": offset " + offset + " and length " + length +
                " must lie in [0, " + region.length() + "]");
        }
    }

    static void checkCount(final int from, final int count, final int limit)
    {
        if (from < 0 || count < 0 || from > limit - count)
        {
            throw new IndexOutOfBoundsException(
                "entries [" + from + ", " + ((long)from + count) + ") must lie in [0, " + limit + ")");
        }
    }

    static boolean overlap(
        final MemoryRegion one, final long oneOffset, final long oneLength,
        final MemoryRegion other, final long otherOffset, final long otherLength)
    {
        final long from = one.address() + oneOffset;
        final long otherFrom = other.address() + otherOffset;
        return one.kind().equals(other.kind()) && from < otherFrom + otherLength && otherFrom < from + oneLength;
    }
}
