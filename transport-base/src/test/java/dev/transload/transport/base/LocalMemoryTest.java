/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportUnavailableException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;

class LocalMemoryTest
{
    private static final int LENGTH = 4096;

    private final PeerIdentity own = Ranks.identity(0);
    private final RegionTable table = new RegionTable();

    private LocalRegion region(final int id)
    {
        return table.add(id, new LocalRegion(table, MemoryKind.HOST, 0, 0 == id ? Access.LOCAL : Access.REMOTE, LENGTH,
            HeapMemory.allocate(Ranks.TRANSPORT, LENGTH), 0 == id ? null : descriptor(id).encode()));
    }

    private RegionDescriptor descriptor(final int id)
    {
        return new RegionDescriptor(RegionDescriptor.REGION, id, LENGTH, 0, own, RegionDescriptor.NO_KEY);
    }

    private LocalSignals signals(final int id)
    {
        final RegionDescriptor descriptor =
            new RegionDescriptor(RegionDescriptor.SIGNALS, id, 4, 1, own, RegionDescriptor.NO_KEY);
        return table.add(id, new LocalSignals(
            table, 4, new BufferMemory(descriptor.memoryLength()), descriptor.encode()));
    }

    @Test
    void shouldBeginWithZerosAndBeAligned()
    {
        try (LocalRegion region = region(0))
        {
            assertEquals(0, region.address() % 64);
            final ByteBuffer view = region.hostView(0, LENGTH);
            while (view.hasRemaining())
            {
                assertEquals(0, view.get());
            }
        }
    }

    @Test
    void shouldViewPartsInNativeOrder()
    {
        try (LocalRegion region = region(0))
        {
            final ByteBuffer view = region.hostView(8, 16);
            assertEquals(ByteOrder.nativeOrder(), view.order());
            assertEquals(16, view.remaining());
            view.putLong(8, 42);
            assertEquals(42, UnsafeApi.getLong(null, region.address() + 16));
            assertThrows(IndexOutOfBoundsException.class, () -> region.hostView(LENGTH - 8, 16));
            assertThrows(IllegalStateException.class, region::descriptor);
        }
    }

    @Test
    void shouldNotLookIntoDeviceMemory()
    {
        final LocalRegion device = new LocalRegion(
            table, MemoryKind.CUDA, 3, Access.LOCAL, LENGTH, new CallerMemory(0x7000), null);
        assertEquals(MemoryKind.CUDA, device.kind());
        assertEquals(3, device.device());
        assertThrows(UnsupportedOperationException.class, () -> device.hostView(0, 8));
    }

    @Test
    void shouldFindOpenMemoryById()
    {
        final LocalRegion region = region(table.nextId());
        final LocalSignals signals = signals(table.nextId());
        table.lock().lock();
        assertEquals(region.address(), table.target(1).address());
        assertEquals(RegionDescriptor.SIGNALS, table.target(2).kind());
        assertEquals(4, table.target(2).length());
        assertNull(table.target(3));
        table.lock().unlock();
        assertSame(region, table.own(descriptor(1)));
        assertThrows(IllegalArgumentException.class, () -> table.own(descriptor(2)), "2 are signals");
        table.closeAll();
        assertFalse(region.isOpen());
        assertFalse(signals.isOpen());
        assertTrue(assertThrows(IllegalArgumentException.class, () -> table.own(descriptor(1))).getMessage()
            .contains("region-1"));
        assertThrows(IllegalStateException.class, () -> region.hostView(0, 8));
        assertThrows(IllegalStateException.class, () -> signals.getAcquire(0));
        region.close();
        signals.close();
    }

    @Test
    void shouldReadEachSignalOnALineOfItsOwn()
    {
        try (LocalSignals signals = signals(1))
        {
            UnsafeApi.getAndAddLong(null, signals.address() + 2L * RegionDescriptor.SIGNAL_STRIDE, 5);
            assertEquals(5, signals.getAcquire(2));
            assertEquals(0, signals.getAcquire(1));
            assertThrows(IndexOutOfBoundsException.class, () -> signals.getAcquire(4));
            assertEquals(4, signals.count());
        }
    }

    @Test
    void shouldRefuseMemoryThatTheMachineDoesNotHave()
    {
        final TransportUnavailableException thrown = assertThrows(TransportUnavailableException.class,
            () -> HeapMemory.allocate(Ranks.TRANSPORT, 1L << 50));
        assertTrue(thrown.getMessage().startsWith("transport carrier: " + (1L << 50)), thrown.getMessage());
    }

    @Test
    void shouldCopyWordsFromAndToAnyAddress()
    {
        final ByteBuffer from = ByteBuffer.allocateDirect(96);
        final ByteBuffer to = ByteBuffer.allocateDirect(96);
        final byte[] bytes = new byte[96];
        new Random(7).nextBytes(bytes);
        from.put(0, bytes);
        for (int src = 0; src < 8; src++)
        {
            for (int dst = 0; dst < 8; dst++)
            {
                for (int length = 0; length <= 40; length++)
                {
                    to.put(0, new byte[96]);
                    WordCopy.copy(BufferUtil.address(from) + src, BufferUtil.address(to) + dst, length);
                    assertEquals(from.slice(src, length), to.slice(dst, length), src + " " + dst + " " + length);
                    assertEquals(0, to.get(dst + length), "a byte too many");
                }
            }
        }
    }
}
