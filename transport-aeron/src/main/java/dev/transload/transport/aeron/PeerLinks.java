/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.PeerFailedException;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import io.aeron.Image;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All peers that this transport has to do with: handshakes, goodbyes and verdicts; on the transport's thread alone. */
final class PeerLinks
{
    private static final Logger LOG = LoggerFactory.getLogger(PeerLinks.class);
    private static final int FRAGMENT_LIMIT = 32;
    private static final long NO_PEER = 0;
    private static final long BUSY_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private final TransportConfig config;
    private final PeerIdentity own;
    private final Medium medium;
    private final InboundOperations inbound;
    private final OpenWorkers workers;
    private final PeerLiveness liveness;
    private final OutboundStreams outbound = new OutboundStreams();
    private final Remains remains = new Remains();
    private final Long2ObjectHashMap<PeerLink> links = new Long2ObjectHashMap<>();
    private final Long2LongHashMap peerOfImage = new Long2LongHashMap(NO_PEER);
    private final LongArrayList lostPeers = new LongArrayList();
    private final Int2ObjectHashMap<AeronChannel> connecting = new Int2ObjectHashMap<>();
    private final FragmentHandler fragmentHandler = this::onFragment;
    private long nowNs = System.nanoTime();
    private long lastJudgedNs = nowNs;
    private long lastWorkNs = nowNs;
    private int requests;

    /** Says which workers may be connected to. */
    interface OpenWorkers
    {
        boolean isOpen(int worker);
    }

    PeerLinks(
        final TransportConfig config,
        final PeerIdentity own,
        final Medium medium,
        final InboundOperations inbound,
        final OpenWorkers workers)
    {
        this.config = config;
        this.own = own;
        this.medium = medium;
        this.inbound = inbound;
        this.workers = workers;
        this.liveness = new PeerLiveness(own, config.livenessTimeoutNs());
    }

    /** One round: what came in, what goes out, who is dead. */
    int doWork()
    {
        nowNs = System.nanoTime();
        requests = 0;
        medium.control().poll(fragmentHandler, FRAGMENT_LIMIT);
        int work = requests + inbound.poll();
        lastWorkNs = work > 0 ? nowNs : lastWorkNs;
        work += outbound.establish(medium, this::onUnmadeStream);
        work += flushLinks();
        judgeLostPeers();
        judge();
        return work;
    }

    /** Whether somebody waits for a handshake, or operations may be on their way. */
    boolean isBusy()
    {
        return !connecting.isEmpty() || outbound.isEstablishing() || nowNs - lastWorkNs < BUSY_NS;
    }

    /** Ask a peer's worker for a channel. */
    void connect(final AeronChannel channel, final WorkerAddress address)
    {
        if (medium.isClosed())
        {
            channel.fail(peerFailure(address.identity(), "the media driver or its client is gone", null));
            return;
        }

        final PeerLink link = link(address.identity());
        if (!link.isLive())
        {
            channel.fail(link.failure());
            return;
        }

        link.channels().add(channel);
        connecting.put(channel.id(), channel);
        link.send(ControlProtocol.hello(
            channel.id(), address.worker(), channel.incarnation(), channel.path(), own, address.identity()));
        if (channel instanceof MessageChannel)
        {
            final MessageChannel messages = (MessageChannel)channel;
            outbound.whenReady(messages.stream(), messages::onStreamReady);
        }
    }

    void disconnect(final AeronChannel channel)
    {
        connecting.remove(channel.id());
        final PeerLink link = links.get(channel.identity().transportId());
        if (null != link)
        {
            link.channels().remove(channel);
        }
    }

    void closeStream(final OperationStream stream)
    {
        outbound.close(stream);
    }

    void onLostImage(final Image image)
    {
        inbound.onLostImage(image);
        // Judged later: within its callbacks Aeron lets nobody close a publication.
        lostPeers.add(peerOfImage.remove(image.correlationId()));
    }

    private void judgeLostPeers()
    {
        for (int i = 0; i < lostPeers.size(); i++)
        {
            final PeerLink link = links.get(lostPeers.getLong(i));
            if (null != link)
            {
                fail(link, "its control stream ended without a goodbye", null);
            }
        }

        lostPeers.clear();
    }

    void sayGoodbye()
    {
        for (final PeerLink link : links.values())
        {
            if (link.isLive())
            {
                link.send(ControlProtocol.plain(ControlProtocol.GOODBYE, own, link.identity()));
            }
        }
    }

    /** Whether a peer has not answered our goodbye. */
    boolean isAwaitingFarewell()
    {
        for (final PeerLink link : links.values())
        {
            if (link.isLive() && link.wasHeard() && !link.hasFarewell())
            {
                return true;
            }
        }

        return false;
    }

    void failAll(final String how)
    {
        for (final PeerLink link : links.values())
        {
            fail(link, how, null);
        }
    }

    private int flushLinks()
    {
        int sent = 0;
        for (final PeerLink link : links.values())
        {
            sent += flush(link);
            if (!link.isLive() && link.isFlushed())
            {
                link.closePublication();
            }
        }

        return sent;
    }

    private int flush(final PeerLink link)
    {
        try
        {
            return link.flush(nowNs, liveness.heartbeatNs());
        }
        catch (final RuntimeException ex)
        {
            fail(link, "no control stream can be made to it: " + ex.getMessage(), ex);
            return 0;
        }
    }

    private void onUnmadeStream(final PeerIdentity peer, final RuntimeException cause)
    {
        fail(link(peer), "no stream of operations can be made to it: " + cause.getMessage(), cause);
    }

    private void judge()
    {
        final long sinceNs = nowNs - lastJudgedNs;
        if (sinceNs < liveness.heartbeatNs())
        {
            return;
        }

        lastJudgedNs = nowNs;
        remains.cleanUp();
        if (sinceNs > 2 * liveness.heartbeatNs())
        {
            links.values().forEach((link) -> link.forgive(sinceNs));
            return;
        }

        for (final PeerIdentity peer : outbound.lostPeers())
        {
            fail(link(peer), "it dropped its stream of operations", null);
        }

        for (final PeerLink link : links.values())
        {
            final String verdict = link.isLive() ? liveness.verdict(link, nowNs) : null;
            if (null != verdict)
            {
                fail(link, verdict, null);
            }
        }
    }

    private PeerLink link(final PeerIdentity identity)
    {
        PeerLink link = links.get(identity.transportId());
        if (null == link)
        {
            link = new PeerLink(own, identity, medium, nowNs);
            links.put(identity.transportId(), link);
        }

        return link;
    }

    private void onFragment(final DirectBuffer buffer, final int offset, final int length, final Header header)
    {
        if (!ControlProtocol.isValid(buffer, offset, length))
        {
            LOG.warn("transport aeron of rank {}: a stranger's message of {} bytes is ignored", config.rank(), length);
            return;
        }

        final int type = ControlProtocol.type(buffer, offset);
        requests += ControlProtocol.HEARTBEAT == type ? 0 : 1;
        if (ControlProtocol.HELLO == type)
        {
            onHello(buffer, offset, length, header);
            return;
        }

        final PeerLink link = links.get(ControlProtocol.sender(buffer, offset));
        if (null == link || !link.isLive() || ControlProtocol.token(buffer, offset) != own.token())
        {
            return;
        }

        remember(header, link);
        try
        {
            dispatch(link, type, buffer, offset, length);
        }
        catch (final RuntimeException ex)
        {
            // What was asked for is lost, and with it all that the peer builds on it.
            fail(link, "its message of type " + type + " could not be handled: " + ex, ex);
        }
    }

    private void dispatch(
        final PeerLink link, final int type, final DirectBuffer buffer, final int offset, final int length)
    {
        switch (type)
        {
            case ControlProtocol.ACCEPT -> onAccept(ControlProtocol.channel(buffer, offset));
            case ControlProtocol.REFUSE -> onRefuse(link, ControlProtocol.channel(buffer, offset),
                ControlProtocol.reason(buffer, offset, length));
            case ControlProtocol.GOODBYE -> onGoodbye(link);
            case ControlProtocol.FAREWELL -> link.farewell();
            default -> LOG.trace("sign of life of {}", link.identity());
        }
    }

    private void remember(final Header header, final PeerLink link)
    {
        link.heard(nowNs);
        peerOfImage.put(((Image)header.context()).correlationId(), link.identity().transportId());
    }

    private void onHello(final DirectBuffer buffer, final int offset, final int length, final Header header)
    {
        final PeerIdentity sender = ControlProtocol.helloIdentity(buffer, offset, length);
        final int channel = ControlProtocol.channel(buffer, offset);
        final PeerLink link = link(sender);
        if (!link.isLive())
        {
            LOG.debug("{} says hello again: it stays failed", sender);
            return;
        }

        final String refusal = ControlProtocol.refusal(buffer, offset, own, workers);
        if (null == refusal)
        {
            remember(header, link);
            accept(link, channel, ControlProtocol.isHelloForMessages(buffer, offset));
        }
        else
        {
            link.send(ControlProtocol.refuse(channel, refusal, own, sender));
        }
    }

    private void accept(final PeerLink link, final int channel, final boolean isForMessages)
    {
        final DirectBuffer consent = ControlProtocol.accept(channel, own, link.identity());
        if (isForMessages)
        {
            // Operations may come as soon as we consent, and some want answers.
            final OperationStream replies = link.replies(own);
            outbound.whenReady(replies, () ->
            {
                inbound.addReplies(replies);
                link.send(consent);
            });
        }
        else
        {
            link.send(consent);
        }
    }

    private void onAccept(final int id)
    {
        final AeronChannel channel = connecting.remove(id);
        if (null != channel)
        {
            channel.onAccepted();
        }
    }

    private void onRefuse(final PeerLink link, final int id, final String reason)
    {
        final AeronChannel channel = connecting.remove(id);
        if (null != channel)
        {
            link.channels().remove(channel);
            channel.fail(new TransportException("transport aeron: rank " + config.rank() +
                " is not connected to rank " + channel.peer() + ", which answers: " + reason,
                TransportException.NO_STATUS, null));
        }
    }

    private void onGoodbye(final PeerLink link)
    {
        final PeerIdentity peer = link.identity();
        link.send(ControlProtocol.plain(ControlProtocol.FAREWELL, own, peer));
        link.end(peerFailure(peer, "it has closed its transport", null));
        outbound.forget(peer);
    }

    private void fail(final PeerLink link, final String how, final Throwable cause)
    {
        if (!link.isLive())
        {
            return;
        }

        final PeerFailedException failure = peerFailure(link.identity(), how, cause);
        link.end(failure);
        link.closePublication();
        inbound.revoke(link.identity());
        outbound.forget(link.identity());
        if (own.host().equals(link.identity().host()))
        {
            remains.add(link.identity());
        }

        report(failure);
    }

    private PeerFailedException peerFailure(final PeerIdentity peer, final String how, final Throwable cause)
    {
        return new PeerFailedException(peer.rank(), "transport aeron: " + peer.describe() + " failed as seen by rank " +
            config.rank() + ": " + how, TransportException.NO_STATUS, cause);
    }

    private void report(final TransportException failure)
    {
        try
        {
            config.errorHandler().accept(failure);
        }
        catch (final RuntimeException ex)
        {
            LOG.error("the error handler failed on: {}", failure.getMessage(), ex);
        }
    }
}
