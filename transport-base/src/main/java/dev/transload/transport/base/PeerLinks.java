/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.PeerFailedException;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All peers that this transport has to do with: handshakes, goodbyes and verdicts; on the transport's thread alone. */
final class PeerLinks
{
    private static final Logger LOG = LoggerFactory.getLogger(PeerLinks.class);
    private static final int MESSAGE_LIMIT = 32;
    private static final long BUSY_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private final TransportConfig config;
    private final PeerIdentity own;
    private final ControlMedium medium;
    private final ControlHooks hooks;
    private final NanoClock clock;
    private final PeerLiveness liveness;
    private final Long2ObjectHashMap<PeerLink> links = new Long2ObjectHashMap<>();
    private final Int2ObjectHashMap<AbstractChannel> connecting = new Int2ObjectHashMap<>();
    private final ControlMedium.MessageHandler handler = this::onMessage;
    private long nowNs;
    private long lastJudgedNs;
    private long lastWorkNs;
    private int requests;

    PeerLinks(
        final TransportConfig config,
        final PeerIdentity own,
        final ControlMedium medium,
        final ControlHooks hooks,
        final NanoClock clock)
    {
        this.config = config;
        this.own = own;
        this.medium = medium;
        this.hooks = hooks;
        this.clock = clock;
        this.liveness = new PeerLiveness(own.process(), config.livenessTimeoutNs());
        this.nowNs = clock.nanoTime();
        this.lastJudgedNs = nowNs;
        this.lastWorkNs = nowNs;
    }

    /** One round: what came in, what goes out, who is dead. */
    int doWork()
    {
        nowNs = clock.nanoTime();
        requests = 0;
        medium.poll(handler, MESSAGE_LIMIT);
        int work = requests + hooks.pollInbound();
        lastWorkNs = work > 0 ? nowNs : lastWorkNs;
        work += hooks.doWork();
        work += flushLinks();
        judge();
        return work;
    }

    /** Time between two signs of life, in nanoseconds. */
    long heartbeatNs()
    {
        return liveness.heartbeatNs();
    }

    /** Whether somebody waits for a handshake, or operations may be on their way. */
    boolean isBusy()
    {
        return !connecting.isEmpty() || hooks.isBusy() || nowNs - lastWorkNs < BUSY_NS;
    }

    /** Ask a peer's worker for a channel. */
    void connect(final AbstractChannel channel, final int worker)
    {
        final PeerIdentity peer = channel.identity();
        if (medium.isClosed())
        {
            channel.fail(peerFailure(peer, medium.closedReason(), TransportException.NO_STATUS, null));
            return;
        }

        final PeerLink link = link(peer);
        if (!link.isLive())
        {
            channel.fail(link.failure());
            return;
        }

        link.channels().add(channel);
        connecting.put(channel.id(), channel);
        link.send(ControlProtocol.hello(
            channel.id(), worker, channel.incarnation(), channel.service(), own, peer));
        channel.onHello();
    }

    void disconnect(final AbstractChannel channel)
    {
        connecting.remove(channel.id());
        final PeerLink link = links.get(channel.identity().transportId());
        if (null != link)
        {
            link.channels().remove(channel);
        }
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
    boolean isWaitingForFarewell()
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
            fail(link, how, TransportException.NO_STATUS, null);
        }
    }

    /** A peer has failed as somebody else found out; nothing happens when nobody is connected to it. */
    void fail(final long transportId, final String how, final int nativeStatus, final Throwable cause)
    {
        final PeerLink link = links.get(transportId);
        if (null != link)
        {
            fail(link, how, nativeStatus, cause);
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
                link.closeStream();
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
            fail(link, "no control stream can be made to it: " + ex.getMessage(), status(ex), ex);
            link.closeStream();
            return 0;
        }
    }

    private void judge()
    {
        final long sinceNs = nowNs - lastJudgedNs;
        if (sinceNs < liveness.heartbeatNs())
        {
            return;
        }

        lastJudgedNs = nowNs;
        if (sinceNs > 2 * liveness.heartbeatNs())
        {
            links.values().forEach((link) -> link.forgive(sinceNs));
            return;
        }

        hooks.onHeartbeat();
        for (final PeerLink link : links.values())
        {
            final String verdict = link.isLive() ? liveness.verdict(
                link.identity().process(), link.wasHeard(), nowNs - link.lastHeardNs()) : null;
            if (null != verdict)
            {
                fail(link, verdict, TransportException.NO_STATUS, null);
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

    private long onMessage(final DirectBuffer buffer, final int offset, final int length)
    {
        if (!ControlProtocol.isValid(buffer, offset, length))
        {
            LOG.warn("transport {} of rank {}: a stranger's message of {} bytes is ignored", own.transport(),
                own.rank(), length);
            return ControlMedium.MessageHandler.NO_PEER;
        }

        final int type = ControlProtocol.type(buffer, offset);
        requests += ControlProtocol.HEARTBEAT == type ? 0 : 1;
        if (ControlProtocol.HELLO == type)
        {
            return onHello(buffer, offset, length);
        }

        final PeerLink link = links.get(ControlProtocol.sender(buffer, offset));
        if (null == link || !link.isLive() || ControlProtocol.token(buffer, offset) != own.token())
        {
            return ControlMedium.MessageHandler.NO_PEER;
        }

        link.heard(nowNs);
        try
        {
            dispatch(link, type, buffer, offset, length);
        }
        catch (final RuntimeException ex)
        {
            failHandling(link, type, ex);
        }

        return link.identity().transportId();
    }

    private void dispatch(
        final PeerLink link, final int type, final DirectBuffer buffer, final int offset, final int length)
    {
        switch (type)
        {
            case ControlProtocol.ACCEPT -> onAccept(ControlProtocol.channel(buffer, offset), buffer, offset, length);
            case ControlProtocol.REFUSE -> onRefuse(link, ControlProtocol.channel(buffer, offset),
                ControlProtocol.reason(buffer, offset, length));
            case ControlProtocol.GOODBYE -> onGoodbye(link);
            case ControlProtocol.FAREWELL -> link.farewell();
            default -> LOG.trace("sign of life of {}", link.identity());
        }
    }

    private long onHello(final DirectBuffer buffer, final int offset, final int length)
    {
        final PeerIdentity sender;
        try
        {
            sender = ControlProtocol.helloIdentity(own.transport(), buffer, offset, length);
        }
        catch (final IllegalArgumentException ex)
        {
            LOG.warn("transport {} of rank {}: a stranger's hello is ignored: {}", own.transport(), own.rank(),
                ex.getMessage());
            return ControlMedium.MessageHandler.NO_PEER;
        }

        final PeerLink link = link(sender);
        if (!link.isLive())
        {
            LOG.debug("{} says hello again: it stays failed", sender);
            return ControlMedium.MessageHandler.NO_PEER;
        }

        final int channel = ControlProtocol.channel(buffer, offset);
        final String refusal = ControlProtocol.refusal(buffer, offset, own, hooks);
        if (null != refusal)
        {
            link.send(ControlProtocol.refuse(channel, refusal, own, sender));
            return ControlMedium.MessageHandler.NO_PEER;
        }

        link.heard(nowNs);
        try
        {
            hooks.prepare(sender, ControlProtocol.worker(buffer, offset), ControlProtocol.service(buffer, offset),
                (extra) -> link.send(ControlProtocol.accept(channel, extra, own, sender)));
        }
        catch (final RuntimeException ex)
        {
            failHandling(link, ControlProtocol.HELLO, ex);
        }

        return sender.transportId();
    }

    private void onAccept(final int id, final DirectBuffer buffer, final int offset, final int length)
    {
        final AbstractChannel channel = connecting.remove(id);
        if (null != channel)
        {
            channel.onAccepted(ControlProtocol.extra(buffer, offset, length));
        }
    }

    private void onRefuse(final PeerLink link, final int id, final String reason)
    {
        final AbstractChannel channel = connecting.remove(id);
        if (null != channel)
        {
            link.channels().remove(channel);
            channel.fail(new TransportException("transport " + own.transport() + ": rank " + own.rank() +
                " is not connected to rank " + channel.peer() + ", which answers: " + reason,
                TransportException.NO_STATUS, null));
        }
    }

    private void onGoodbye(final PeerLink link)
    {
        final PeerIdentity peer = link.identity();
        link.send(ControlProtocol.plain(ControlProtocol.FAREWELL, own, peer));
        link.end(peerFailure(peer, "it has closed its transport", TransportException.NO_STATUS, null));
        hooks.onPeerLeft(peer);
    }

    /** What was asked for is lost, and with it all that the peer builds on it. */
    private void failHandling(final PeerLink link, final int type, final RuntimeException cause)
    {
        fail(link, "its message of type " + type + " could not be handled: " + cause, status(cause), cause);
    }

    private void fail(final PeerLink link, final String how, final int nativeStatus, final Throwable cause)
    {
        if (!link.isLive())
        {
            return;
        }

        final PeerFailedException failure = peerFailure(link.identity(), how, nativeStatus, cause);
        // First the transport: a caller that sees a failed channel may close the memory that the peer still knows.
        hooks.onPeerFailed(link.identity());
        link.end(failure);
        link.closeStream();
        report(failure);
    }

    private static int status(final RuntimeException cause)
    {
        return cause instanceof TransportException ? ((TransportException)cause).nativeStatus() :
            TransportException.NO_STATUS;
    }

    private PeerFailedException peerFailure(
        final PeerIdentity peer, final String how, final int nativeStatus, final Throwable cause)
    {
        return new PeerFailedException(peer.rank(), peer.incarnation(), "transport " + own.transport() + ": " +
            peer.describe() + " failed as seen by rank " + own.rank() + ": " + how, nativeStatus, cause);
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
