/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.spi.MemoryRegion;
import java.util.Arrays;

/** Large memory of any kind and of any rank, filled and looked into block by block. */
final class DeviceMemory
{
    private static final int BLOCK = 1 << 20;

    /** No byte of the pattern is like this one. */
    private static final byte ELSE = (byte)0xA5;

    private DeviceMemory()
    {
    }

    /**
     * The byte of the pattern at a position: positions that are a few bytes, pages or rows apart have different ones.
     *
     * @param position in memory.
     * @return byte.
     */
    static byte at(final long position)
    {
        final long mixed = position * 0x9E3779B97F4A7C15L;
        final byte value = (byte)(mixed >>> 40);
        return ELSE == value ? 0 : value;
    }

    /** The pattern from a position on. */
    static byte[] pattern(final long position, final int length)
    {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
        {
            bytes[i] = at(position + i);
        }

        return bytes;
    }

    /** Fills all of a region with the pattern. */
    static void fill(final World world, final int rank, final MemoryRegion region)
    {
        for (long offset = 0; offset < region.length(); offset += BLOCK)
        {
            world.write(
                rank, region, offset, pattern(offset, (int)Math.min(BLOCK, region.length() - offset)));
        }
    }

    /** Sets a range to what the pattern does not have. */
    static void clear(final World world, final int rank, final MemoryRegion region, final long offset, final int length)
    {
        final byte[] bytes = new byte[length];
        Arrays.fill(bytes, ELSE);
        world.write(rank, region, offset, bytes);
    }

    /**
     * Compares a range with the pattern, byte for byte.
     *
     * @param position of the pattern that the range has to begin with.
     * @param what     was done, for the message.
     */
    static void check(final World world, final int rank, final MemoryRegion region, final long offset,
        final long length, final long position, final String what)
    {
        for (long done = 0; done < length; done += BLOCK)
        {
            final int count = (int)Math.min(BLOCK, length - done);
            compare(pattern(position + done, count), world.read(rank, region, offset + done, count), offset + done,
                what);
        }
    }

    /** Compares a range with what {@link #clear} leaves. */
    static void checkClear(final World world, final int rank, final MemoryRegion region, final long offset,
        final int length, final String what)
    {
        final byte[] expected = new byte[length];
        Arrays.fill(expected, ELSE);
        compare(expected, world.read(rank, region, offset, length), offset, what);
    }

    static void compare(final byte[] expected, final byte[] seen, final long offset, final String what)
    {
        final int at = Arrays.mismatch(expected, seen);
        if (at >= 0)
        {
            throw new AssertionError(String.format("%s: the byte at offset %d is 0x%02x, expected 0x%02x",
                what, offset + at, seen[at], expected[at]));
        }
    }
}
