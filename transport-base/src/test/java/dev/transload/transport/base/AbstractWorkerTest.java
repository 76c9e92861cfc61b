/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workers and channels of one rank, connected to the rank itself. */
class AbstractWorkerTest
{
    private final PeerIdentity own = Ranks.identity(0);
    private final PlainTransport transport = PlainTransport.open(own, new PostOffice().box(own));
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final PlainWorker worker = new PlainWorker(transport, 0, events);

    @AfterEach
    void close()
    {
        worker.shut();
        transport.close();
    }

    private MemoryRegion region(final Access access, final long length)
    {
        return transport.allocate(MemoryKind.HOST, 0, length, access);
    }

    private Channel connect()
    {
        return worker.connect(0, 1, worker.address());
    }

    @Test
    void shouldConnectToItsOwnRankAtOnce()
    {
        final Channel channel = connect();
        assertTrue(channel.isConnected());
        assertEquals(1, channel.fence());
    }

    @Test
    void shouldBelongToTheThreadThatUsesItFirst() throws InterruptedException
    {
        connect();
        final AtomicReference<Exception> thrown = new AtomicReference<>();
        final Thread other = new Thread(() -> thrown.set(assertThrows(IllegalStateException.class, worker::progress)),
            "stowaway");
        other.start();
        other.join();
        assertTrue(thrown.get().getMessage().contains("stowaway"), thrown.get().getMessage());
    }

    @Test
    void shouldRefuseAddressesOfOtherRanksAndTransports()
    {
        final ByteBuffer address = new WorkerAddress(0, Ranks.identity(1)).encode();
        assertThrows(IllegalArgumentException.class, () -> worker.connect(0, 1, address));
        final PeerIdentity id = Ranks.identity(0);
        final ByteBuffer foreign = new WorkerAddress(0, new PeerIdentity("pigeon", 0, 1, id.transportId(), id.token(),
            id.process(), id.place(), id.contact())).encode();
        assertThrows(IllegalArgumentException.class, () -> worker.connect(0, 1, foreign));
    }

    @Test
    void shouldFailAChannelThatCannotBe()
    {
        final Channel late = worker.connect(0, 2, worker.address());
        assertEquals(Channel.FAILED, late.fence());
        assertTrue(late.failure().getMessage().contains("incarnation 2 of rank 0 is meant"));
        transport.obstruct("another ocean");
        assertTrue(connect().failure().getMessage().endsWith("rank 0 cannot be reached: another ocean"));
    }

    /** Another thread fails each channel while this one looks for the cause. */
    @Test
    void shouldRefuseOperationsFromTheMomentItsFailureIsSeen() throws InterruptedException
    {
        final AtomicInteger asked = new AtomicInteger();
        final PlainChannel[] channels = new PlainChannel[20_000];
        for (int i = 0; i < channels.length; i++)
        {
            channels[i] = new PlainChannel(worker, i, own, 1, events);
            channels[i].grant();
            channels[i].progress();
        }

        final TransportException cause = new TransportException("cause", 0, null);
        final Thread culprit = new Thread(() ->
        {
            for (int i = 0; i < channels.length; i++)
            {
                while (asked.get() <= i)
                {
                    Thread.onSpinWait();
                }

                channels[i].fail(cause);
            }
        });
        culprit.start();
        int accepted = 0;
        for (final PlainChannel channel : channels)
        {
            asked.incrementAndGet();
            while (null == channel.failure())
            {
                Thread.onSpinWait();
            }

            accepted += channel.fence() < 0 ? 0 : 1;
        }

        culprit.join();
        assertEquals(0, accepted);
    }

    @Test
    void shouldKeepTheFirstCauseOfAFailure()
    {
        final PlainChannel channel = (PlainChannel)connect();
        final TransportException first = new TransportException("first", 0, null);
        channel.fail(first);
        channel.fail(new TransportException("second", 0, null));
        assertEquals(first, channel.failure());
        assertEquals(Channel.FAILED, channel.fence());
        assertTrue(channel.isConnected(), "it was");
        channel.close();
        assertEquals(Channel.CLOSED, channel.fence());
        assertEquals(first, channel.failure());
    }

    @Test
    void shouldCheckMemoryBeforeItIsTouched()
    {
        final MemoryRegion src = region(Access.LOCAL, 64);
        final MemoryRegion dst = region(Access.REMOTE, 128);
        final RemoteRegion remote = worker.importRegion(0, dst.descriptor());
        final Channel channel = connect();
        assertEquals(1, channel.put(src, 0, remote, 64, 64));
        assertThrows(IndexOutOfBoundsException.class, () -> channel.put(src, 1, remote, 0, 64));
        assertThrows(IndexOutOfBoundsException.class, () -> channel.put(src, 0, remote, 65, 64));
        assertThrows(IndexOutOfBoundsException.class, () -> channel.put(src, 0, remote, Long.MAX_VALUE, 64));
        final LocalRegion foreign = new LocalRegion(new RegionTable(), MemoryKind.HOST, 0, Access.LOCAL, 64,
            new CallerMemory(src.address()), null);
        assertThrows(IllegalArgumentException.class, () -> channel.put(foreign, 0, remote, 0, 1));
        dst.close();
        assertThrows(IllegalStateException.class, () -> channel.put(src, 0, remote, 0, 1), "own memory was closed");
        src.close();
        assertEquals(1, channel.position());
        assertThrows(IllegalArgumentException.class, () -> worker.importRegion(0, dst.descriptor()));
    }

    @Test
    void shouldKeepAWindowOpenAsLongAsItsImport()
    {
        final MemoryRegion region = region(Access.REMOTE, 128);
        final RemoteRegion remote = worker.importRegion(0, region.descriptor());
        final MemoryRegion window = remote.window();
        assertSame(window, remote.window());
        assertEquals(128, window.length());
        window.close();
        window.hostView(8, Long.BYTES).putLong(0, 9);
        assertEquals(9, region.hostView(8, Long.BYTES).getLong(0));
        final Channel channel = connect();
        assertEquals(1, channel.put(window, 64, remote, 0, 64), "a window is a source");
        worker.acquire(window);
        remote.close();
        assertThrows(IllegalStateException.class, () -> window.hostView(0, 1));
        final RemoteRegion again = worker.importRegion(0, region.descriptor());
        assertThrows(IllegalStateException.class, () -> channel.put(window, 0, again, 0, 1));
        region.close();
        assertThrows(IllegalStateException.class, () -> again.window().hostView(0, 1), "own memory was closed");
    }

    @Test
    void shouldGiveNoWindowThatItsTransportDoesNotPromise()
    {
        final PeerIdentity identity = Ranks.identity(1);
        try (PlainTransport without = PlainTransport.open(identity, new PostOffice().box(identity),
            Capabilities.builder(Ranks.TRANSPORT, "Carrier 1", 1 << 20).build()))
        {
            final PlainWorker user = new PlainWorker(without, 0, events);
            final MemoryRegion region = without.allocate(MemoryKind.HOST, 0, 128, Access.REMOTE);
            assertNull(user.importRegion(1, region.descriptor()).window());
            user.shut();
        }
    }

    @Test
    void shouldKeepImportsOfWorkersAndPeersApart()
    {
        final MemoryRegion src = region(Access.LOCAL, 64);
        final PlainWorker second = new PlainWorker(transport, 1, events);
        final RemoteRegion others = second.importRegion(0, region(Access.REMOTE, 64).descriptor());
        final Channel channel = connect();
        assertThrows(IllegalArgumentException.class, () -> channel.put(src, 0, others, 0, 1));
        final RemoteRegion strangers = worker.importRegion(1, new RegionDescriptor(RegionDescriptor.REGION, 1, 64, 0,
            Ranks.identity(1), RegionDescriptor.NO_KEY).encode());
        assertThrows(IllegalArgumentException.class, () -> channel.put(src, 0, strangers, 0, 1));
        strangers.close();
        strangers.close();
        assertEquals(List.of("released import 1"), events);
    }

    @Test
    void shouldGiveBackImportsThenChannelsThenItself()
    {
        connect();
        worker.importRegion(0, region(Access.REMOTE, 64).descriptor());
        worker.close();
        worker.close();
        worker.shut();
        assertEquals(List.of("released import 1", "released channel 1", "released worker 0"), events);
        assertFalse(worker.isOpen());
        assertThrows(IllegalStateException.class, this::connect);
    }

    @Test
    void shouldGiveBackAChannelOnce()
    {
        final Channel channel = connect();
        channel.close();
        channel.close();
        worker.close();
        assertEquals(List.of("released channel 1", "released worker 0"), events);
    }

    @Test
    void shouldTakeNothingAwayFromUnderAnOperation() throws InterruptedException
    {
        final PlainChannel channel = (PlainChannel)connect();
        worker.enter();
        final Thread closer = new Thread(worker::shut);
        closer.start();
        Await.until(() -> channel.fence() == Channel.CLOSED);
        assertEquals(List.of(), events);
        worker.exit();
        closer.join();
        assertEquals(List.of("released channel 1", "released worker 0"), events);
        assertNull(channel.failure());
    }
}
