/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RegionViewTest
{
    private static final long GIB = 1L << 30;

    @Test
    void shouldAddressASmallRegionThroughOneWindow()
    {
        final SizedRegion region = new SizedRegion(Integer.MAX_VALUE);
        final RegionView view = new RegionView(region, (memory) -> memory);

        assertSame(view.window(0), view.window(Integer.MAX_VALUE - 1));
        assertEquals(Integer.MAX_VALUE - 1, view.offsetInWindow(Integer.MAX_VALUE - 1));
        assertEquals(List.of("0+2147483647"), region.views);
    }

    @Test
    void shouldHoldEveryRowOfALargeRegionWholeInOneWindow()
    {
        final SizedRegion region = new SizedRegion(5 * GIB + 64);
        final RegionView view = new RegionView(region, (memory) -> memory);

        for (final long offset : new long[]{0, GIB - 1, GIB, 2 * GIB - 64, 4 * GIB + 3, 5 * GIB})
        {
            view.window(offset);
            assertSame(view.window(offset), view.window(offset));
            assertEquals(offset % GIB, view.offsetInWindow(offset));
            assertEquals(SizedRegion.ADDRESS + offset, view.addressOf(offset));
        }

        assertEquals(
            List.of("0+2147483647", "1073741824+2147483647", "4294967296+1073741888", "5368709120+64"), region.views);
    }

    /** Says that it is large, and notes which parts are looked at. */
    private static final class SizedRegion implements MemoryRegion
    {
        static final long ADDRESS = 0x1000;

        private final List<String> views = new ArrayList<>();
        private final long length;

        private SizedRegion(final long length)
        {
            this.length = length;
        }

        @Override
        public MemoryKind kind()
        {
            return MemoryKind.HOST;
        }

        @Override
        public int device()
        {
            return 0;
        }

        @Override
        public Access access()
        {
            return Access.LOCAL;
        }

        @Override
        public long length()
        {
            return length;
        }

        @Override
        public long address()
        {
            return ADDRESS;
        }

        @Override
        public ByteBuffer descriptor()
        {
            throw new IllegalStateException("LOCAL region has no descriptor");
        }

        @Override
        public ByteBuffer hostView(final long offset, final int viewLength)
        {
            views.add(offset + "+" + viewLength);
            return ByteBuffer.allocateDirect(1);
        }

        @Override
        public void close()
        {
            views.clear();
        }
    }
}
