/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.agrona.BufferUtil;

/**
 * A host region, and the windows through which it is addressed by 31 bits. A region of less than 2 GiB is one window;
 * a larger one has a window of up to 2 GiB at every GiB, so that a row of at most {@link #MAX_ROW_BYTES} lies whole in
 * the window where it begins.
 */
final class RegionView
{
    /** Longest row that a window is sure to hold. */
    static final int MAX_ROW_BYTES = 1 << 30;

    private static final int STEP_BITS = 30;
    /** Shifts every offset to window 0. */
    private static final int ONE_WINDOW = 63;

    private final MemoryRegion region;
    private final long address;
    private final long length;
    private final Function<ByteBuffer, Object> opener;
    private final int shift;
    private final Object[] windows;

    /**
     * Over a region.
     *
     * @param region of host memory.
     * @param opener makes a window from a view.
     */
    RegionView(final MemoryRegion region, final Function<ByteBuffer, Object> opener)
    {
        this.region = region;
        this.address = region.address();
        this.length = region.length();
        this.opener = opener;
        this.shift = length <= Integer.MAX_VALUE ? ONE_WINDOW : STEP_BITS;
        this.windows = new Object[Math.toIntExact((length - 1 >>> shift) + 1)];
    }

    /**
     * Over a buffer.
     *
     * @param memory direct buffer.
     * @param opener makes a window from a view.
     */
    RegionView(final ByteBuffer memory, final Function<ByteBuffer, Object> opener)
    {
        this.region = null;
        this.address = BufferUtil.address(memory);
        this.length = memory.capacity();
        this.opener = opener;
        this.shift = ONE_WINDOW;
        this.windows = new Object[]{opener.apply(memory)};
    }

    /**
     * Whether this views that region as it is now. A closed region throws here if it knows that it is closed.
     *
     * @param other region.
     * @return true for the same region at the same place.
     */
    boolean isOf(final MemoryRegion other)
    {
        return region == other && other.address() == address && other.length() == length;
    }

    /** Bytes of the region. */
    long length()
    {
        return length;
    }

    /** Address of a byte. */
    long addressOf(final long offset)
    {
        return address + offset;
    }

    /**
     * Window of a row, opened at the first use.
     *
     * @param offset where the row begins.
     * @return window in the form of the arithmetic.
     */
    Object window(final long offset)
    {
        final int index = windowIndex(offset);
        final Object window = windows[index];

        return null == window ? open(index) : window;
    }

    /** Which window a row is in. */
    int windowIndex(final long offset)
    {
        return (int)(offset >>> shift);
    }

    /**
     * Offset in {@link #window(long)}.
     *
     * @param offset where the row begins in the region.
     * @return where it begins in the window.
     */
    int offsetInWindow(final long offset)
    {
        return (int)(offset - (offset >>> shift << shift));
    }

    private Object open(final int index)
    {
        final long base = (long)index << shift;
        final ByteBuffer view = region.hostView(base, (int)Math.min(Integer.MAX_VALUE, length - base));
        final Object window = opener.apply(view);
        windows[index] = window;

        return window;
    }
}
