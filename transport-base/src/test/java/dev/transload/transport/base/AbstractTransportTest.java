/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.UnsupportedCapabilityException;
import dev.transload.spi.Worker;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AbstractTransportTest
{
    private final PostOffice office = new PostOffice();
    private final PeerIdentity own = Ranks.identity(0);
    private final PlainTransport transport = PlainTransport.open(own, office.box(own));

    @AfterEach
    void close()
    {
        transport.close();
    }

    private MemoryRegion allocate(final Access access)
    {
        return transport.allocate(MemoryKind.HOST, 0, 64, access);
    }

    @Test
    void shouldGiveNumbersToMemoryThatPeersAddress()
    {
        assertEquals(1, decode(allocate(Access.REMOTE)).id());
        assertThrows(IllegalStateException.class, () -> allocate(Access.LOCAL).descriptor());
        final RegionDescriptor signals = RegionDescriptor.decode(
            Ranks.TRANSPORT, RegionDescriptor.SIGNALS, transport.allocateSignals(3, 2).descriptor());
        assertEquals(2, signals.id());
        assertEquals(3, signals.length());
        assertEquals(2, signals.writers());
        assertEquals(List.of("allocated region-1", "allocated nameless", "allocated signals-2"), transport.events());
    }

    @Test
    void shouldPublishTheIdentityThatItIsGiven()
    {
        assertEquals(0, decode(allocate(Access.REMOTE)).owner().contact().remaining());
        final PeerIdentity info = PeerIdentity.decode(Ranks.TRANSPORT, "peerInfo", transport.peerInfo().duplicate());
        assertTrue(info.isSame(own));
        assertEquals(0, info.contact().remaining());
        assertEquals(1, transport.identity().contact().remaining());
    }

    @Test
    void shouldPutTheKeyOfMemoryIntoItsDescriptor()
    {
        assertEquals(1, decode(allocate(Access.REMOTE)).key().remaining());
        transport.events().add("long keys");
        assertThrows(IllegalStateException.class, () -> allocate(Access.REMOTE));
        assertEquals("freed memory", transport.events().get(transport.events().size() - 1));
    }

    @Test
    void shouldFreeMemoryWhoseKeyCannotBeHad()
    {
        transport.events().add("no keys");
        assertThrows(UnsupportedOperationException.class, () -> allocate(Access.REMOTE));
        assertThrows(UnsupportedOperationException.class, () -> transport.allocateSignals(1, 1));
        assertEquals(List.of("no keys", "allocated region-1", "freed memory", "allocated signals-2", "freed memory"),
            transport.events());
    }

    @Test
    void shouldRefuseWhatItsCapabilitiesLack()
    {
        assertThrows(IllegalArgumentException.class, () -> transport.allocate(MemoryKind.CUDA, 0, 64, Access.LOCAL));
        assertThrows(IllegalArgumentException.class, () -> transport.openWorker(4));
        final long address = allocate(Access.LOCAL).address();
        assertSame(Access.LOCAL, transport.register(MemoryKind.HOST, 0, address, 64, Access.LOCAL).access());
        assertThrows(UnsupportedCapabilityException.class,
            () -> transport.register(MemoryKind.HOST, 0, address, 64, Access.REMOTE));
    }

    @Test
    void shouldAnswerWhomItReaches()
    {
        assertTrue(transport.canReach(1, Ranks.identity(1).encode()).reachable());
        transport.obstruct("another ocean");
        assertEquals("another ocean", transport.canReach(1, Ranks.identity(1).encode()).reason());
        assertThrows(IllegalArgumentException.class, () -> transport.canReach(2, Ranks.identity(1).encode()));
    }

    @Test
    void shouldOpenAWorkerOnceAtATime()
    {
        final Worker worker = transport.openWorker(3);
        assertTrue(transport.isOpen(3));
        assertThrows(IllegalStateException.class, () -> transport.openWorker(3));
        worker.close();
        assertFalse(transport.isOpen(3));
        transport.openWorker(3);
    }

    @Test
    void shouldNumberChannelsOfAllWorkers()
    {
        final Worker first = transport.openWorker(0);
        final Worker second = transport.openWorker(1);
        assertEquals(1, ((AbstractChannel)first.connect(0, 1, second.address())).id());
        assertEquals(2, ((AbstractChannel)second.connect(0, 1, first.address())).id());
    }

    @Test
    void shouldCloseWorkersThenInboundThenMemoryThenTheRest()
    {
        final Worker worker = transport.openWorker(0);
        final Channel channel = worker.connect(0, 1, worker.address());
        final MemoryRegion region = allocate(Access.REMOTE);
        final SignalRegion signals = transport.allocateSignals(1, 1);
        transport.events().clear();
        transport.close();
        transport.close();
        assertEquals(List.of("released channel 1", "released worker 0", "ended inbound operations",
            "abandoned memory", "freed memory", "released transport"), transport.events());
        assertEquals(Channel.CLOSED, channel.fence());
        assertThrows(IllegalStateException.class, () -> region.hostView(0, 1));
        assertThrows(IllegalStateException.class, () -> signals.getAcquire(0));
        assertThrows(IllegalStateException.class, () -> allocate(Access.LOCAL));
        assertThrows(IllegalStateException.class, () -> transport.openWorker(0));
        assertTrue(office.box(own).isClosed());
    }

    @Test
    void shouldCloseOnItsOwnThread()
    {
        transport.agent().execute(transport::close);
        Await.until(() -> transport.events().contains("released transport"));
        assertTrue(office.box(own).isClosed());
    }

    private static RegionDescriptor decode(final MemoryRegion region)
    {
        return RegionDescriptor.decode(Ranks.TRANSPORT, RegionDescriptor.REGION, region.descriptor());
    }
}
