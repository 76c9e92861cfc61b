/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.PeerFailedException;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The control plane of two ranks, driven step by step: time moves when a test says so. */
class PeerLinksTest
{
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long HEARTBEAT_NS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final byte[] EXTRA = {4, 5, 6};

    private final PostOffice office = new PostOffice();
    private long nowNs = 1;
    private final Side first = new Side(0);
    private final Side second = new Side(1);

    /** One rank. */
    private final class Side implements ControlHooks
    {
        private final PeerIdentity identity;
        private final PostOffice.Box box;
        private final PeerLinks links;
        private final List<String> events = new ArrayList<>();
        private final List<TransportException> reported = new ArrayList<>();
        private Consumer<ByteBuffer> held;
        private boolean isHolding;
        private RuntimeException refusal;

        private Side(final int rank)
        {
            identity = Ranks.farIdentity(rank);
            box = office.box(identity);
            links = new PeerLinks(TransportConfig.builder().rank(rank).worldSize(2).livenessTimeoutNs(TIMEOUT_NS)
                .errorHandler(reported::add).build(), identity, box, this, () -> nowNs);
        }

        @Override
        public boolean isOpen(final int worker)
        {
            return 0 == worker;
        }

        @Override
        public void prepare(
            final PeerIdentity peer, final int worker, final int service, final Consumer<ByteBuffer> ready)
        {
            events.add("prepare worker " + worker + " for rank " + peer.rank() + ", service " + service);
            if (null != refusal)
            {
                throw refusal;
            }

            if (isHolding)
            {
                held = ready;
            }
            else
            {
                ready.accept(ByteBuffer.wrap(EXTRA));
            }
        }

        @Override
        public void onPeerFailed(final PeerIdentity peer)
        {
            events.add("failed " + peer.rank());
        }

        @Override
        public void onPeerLeft(final PeerIdentity peer)
        {
            events.add("left " + peer.rank());
        }

        private PlainChannel channel(final int id, final PeerIdentity peer, final long incarnation)
        {
            final PlainWorker worker = new PlainWorker(PlainTransport.withoutAgent(identity), 0, events);
            return new PlainChannel(worker, id, peer, incarnation, events);
        }

        private PlainChannel connect(final int id, final PeerIdentity peer)
        {
            final PlainChannel channel = channel(id, peer, 1);
            links.connect(channel, 0);
            return channel;
        }
    }

    private void step()
    {
        first.links.doWork();
        second.links.doWork();
        first.links.doWork();
    }

    /** Time as it passes for ranks that are driven often enough. */
    private void pass(final long durationNs, final Side... driven)
    {
        final long endNs = nowNs + durationNs;
        while (nowNs < endNs)
        {
            nowNs = Math.min(endNs, nowNs + HEARTBEAT_NS);
            for (final Side side : driven)
            {
                side.links.doWork();
            }
        }
    }

    private PlainChannel connected()
    {
        final PlainChannel channel = first.connect(1, second.identity);
        step();
        assertEquals(1, channel.progress());
        assertTrue(channel.isConnected());
        return channel;
    }

    @Test
    void shouldConnectWhenThePeerAccepts()
    {
        final PlainChannel channel = first.connect(1, second.identity);
        assertEquals(PlainChannel.NOT_CONNECTED, channel.fence());
        step();
        assertEquals(PlainChannel.NOT_CONNECTED, channel.fence(), "only its worker's progress lets operations in");
        assertEquals(1, channel.progress());
        assertEquals(1, channel.fence());
        assertEquals(List.of("hello 1", "accepted 1 with 3 bytes"), first.events);
        assertEquals(List.of("prepare worker 0 for rank 0, service 7"), second.events);
    }

    @Test
    void shouldAcceptNoSoonerThanThePeerIsReady()
    {
        second.isHolding = true;
        final PlainChannel channel = first.connect(1, second.identity);
        step();
        step();
        assertEquals(List.of("hello 1"), first.events);
        second.held.accept(ByteBuffer.allocate(2000));
        step();
        assertEquals(List.of("hello 1", "accepted 1 with 2000 bytes"), first.events);
        assertEquals(1, channel.progress());
    }

    @Test
    void shouldOfferAgainWhatTheStreamDidNotTake()
    {
        first.box.stick(true);
        final PlainChannel channel = first.connect(1, second.identity);
        step();
        assertEquals(List.of(), second.events);
        assertTrue(first.links.isBusy(), "somebody waits for a handshake");
        first.box.stick(false);
        step();
        assertEquals(1, channel.progress());
    }

    @Test
    void shouldRefuseAWorkerThatIsNotOpen()
    {
        final PlainChannel channel = first.channel(1, second.identity, 1);
        first.links.connect(channel, 3);
        step();
        assertEquals("transport carrier: rank 0 is not connected to rank 1, which answers: its worker 3 is not open",
            channel.failure().getMessage());
        assertEquals(List.of(), first.reported, "the peer itself is well");
    }

    @Test
    void shouldRefuseWhoMeansAnotherLifeOfThisRank()
    {
        final PlainChannel channel = first.channel(1, second.identity, 2);
        first.links.connect(channel, 0);
        step();
        assertTrue(channel.failure().getMessage().contains("incarnation 2 was meant"), channel.failure().getMessage());
    }

    @Test
    void shouldRefuseWhoDoesNotKnowTheToken()
    {
        final PeerIdentity id = second.identity;
        final PeerIdentity guessed = new PeerIdentity(id.transport(), id.rank(), id.incarnation(), id.transportId(),
            id.token() + 1, id.process(), id.place(), id.contact());
        final PlainChannel channel = first.connect(1, guessed);
        step();
        assertTrue(channel.failure().getMessage().contains("an address of its own"), channel.failure().getMessage());
    }

    @Test
    void shouldIgnoreStrangers()
    {
        final PlainChannel channel = connected();
        first.box.deliver(new UnsafeBuffer(new byte[3]));
        first.box.deliver(new UnsafeBuffer(new byte[100]));
        first.box.deliver(ControlProtocol.plain(ControlProtocol.GOODBYE, Ranks.farIdentity(1), first.identity));
        final byte[] hello = new byte[60];
        ControlProtocol.hello(1, 0, 1, 0, second.identity, first.identity).getBytes(0, hello);
        first.box.deliver(new UnsafeBuffer(hello));
        step();
        assertNull(channel.failure());
        assertEquals(List.of(), first.reported);
    }

    @Test
    void shouldStayConnectedWhileSignsOfLifeCome()
    {
        final PlainChannel channel = connected();
        pass(3 * TIMEOUT_NS, first, second);
        assertNull(channel.failure());
        assertEquals(List.of(), second.reported);
    }

    @Test
    void shouldFailAPeerThatFallsSilent()
    {
        final PlainChannel channel = connected();
        pass(TIMEOUT_NS, first);
        assertNull(channel.failure());
        pass(2 * HEARTBEAT_NS, first);
        final PeerFailedException failure = assertInstanceOf(PeerFailedException.class, channel.failure());
        assertEquals(1, failure.peer());
        assertTrue(failure.getMessage().contains("failed as seen by rank 0: no sign of life for"),
            failure.getMessage());
        assertEquals(List.of(failure), first.reported);
        assertEquals("failed 1", first.events.get(first.events.size() - 1));
        assertEquals(0, first.box.openStreams());
        assertEquals(PlainChannel.FAILED, channel.fence());
    }

    @Test
    void shouldNotTakeItsOwnStallForThePeersSilence()
    {
        final PlainChannel channel = connected();
        nowNs += 2 * TIMEOUT_NS;
        first.links.doWork();
        pass(TIMEOUT_NS / 2, first, second);
        assertNull(channel.failure());
    }

    @Test
    void shouldFailAPeerThatIsReportedAndNeverResume()
    {
        final PlainChannel channel = connected();
        final RuntimeException cause = new RuntimeException("reset");
        first.links.fail(second.identity.transportId(), "its endpoint was reset", -80, cause);
        first.links.fail(second.identity.transportId(), "again", -1, null);
        assertEquals(-80, channel.failure().nativeStatus());
        assertSame(cause, channel.failure().getCause());
        assertTrue(channel.failure().getMessage().endsWith("its endpoint was reset"));
        assertEquals(1, first.reported.size());
        final PlainChannel later = first.connect(2, second.identity);
        step();
        assertSame(channel.failure(), later.failure());
    }

    @Test
    void shouldFailWhomNoStreamLeadsTo()
    {
        first.box.refuse(-25);
        final PlainChannel channel = first.connect(1, second.identity);
        step();
        assertNotNull(channel.failure());
        assertTrue(channel.failure().getMessage().endsWith("no control stream can be made to it: no road"));
        assertEquals(-25, channel.failure().nativeStatus());
    }

    @Test
    void shouldFailWhomItCannotPrepareFor()
    {
        second.refusal = new IllegalStateException("no room");
        first.connect(1, second.identity);
        step();
        assertEquals(1, second.reported.size());
        assertTrue(second.reported.get(0).getMessage().contains("no room"), second.reported.get(0).getMessage());
    }

    @Test
    void shouldPartInOrder()
    {
        final PlainChannel channel = connected();
        second.links.sayGoodbye();
        assertTrue(second.links.isWaitingForFarewell());
        second.links.doWork();
        step();
        assertEquals(false, second.links.isWaitingForFarewell());
        assertTrue(channel.failure().getMessage().endsWith("it has closed its transport"));
        assertEquals("left 1", first.events.get(first.events.size() - 1));
        assertEquals(List.of(), first.reported, "leaving is no failure");
        assertEquals(0, first.box.openStreams());
    }

    @Test
    void shouldFailAllWhenTheMediumIsGone()
    {
        final PlainChannel channel = connected();
        first.box.close();
        first.links.failAll(first.box.closedReason());
        assertTrue(channel.failure().getMessage().endsWith("the post office is closed"));
        final PlainChannel later = first.connect(2, second.identity);
        assertTrue(later.failure().getMessage().endsWith("the post office is closed"));
    }
}
