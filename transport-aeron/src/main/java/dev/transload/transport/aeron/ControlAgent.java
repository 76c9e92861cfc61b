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
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The transport's own thread: it runs Aeron, answers peers, and judges who is alive. */
final class ControlAgent implements Runnable
{
    private static final Logger LOG = LoggerFactory.getLogger(ControlAgent.class);
    private static final int FRAGMENT_LIMIT = 32;
    private static final long FAREWELL_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long NO_PEER = 0;

    private final TransportConfig config;
    private final PeerIdentity own;
    private final Medium medium;
    private final PeerLiveness liveness;
    private final OpenWorkers workers;
    private final IdleStrategy idle;
    private final ManyToOneConcurrentLinkedQueue<Runnable> commands = new ManyToOneConcurrentLinkedQueue<>();
    private final Long2ObjectHashMap<PeerLink> links = new Long2ObjectHashMap<>();
    private final Long2LongHashMap peerOfImage = new Long2LongHashMap(NO_PEER);
    private final Int2ObjectHashMap<AeronChannel> connecting = new Int2ObjectHashMap<>();
    private final Remains remains = new Remains();
    private final FragmentHandler fragmentHandler = this::onFragment;
    private final Thread thread;
    private long nowNs = System.nanoTime();
    private long lastJudgedNs = nowNs;
    private volatile boolean closing;

    /** Says which workers may be connected to. */
    interface OpenWorkers
    {
        boolean isOpen(int worker);
    }

    ControlAgent(
        final TransportConfig config,
        final AeronOptions options,
        final PeerIdentity own,
        final Medium medium,
        final OpenWorkers workers)
    {
        this.config = config;
        this.own = own;
        this.medium = medium;
        this.workers = workers;
        this.idle = AgentIdle.of(options);
        this.liveness = new PeerLiveness(own, config.livenessTimeoutNs());
        this.thread = new Thread(this, "transload-aeron-" + config.rank());
        thread.setDaemon(true);
    }

    void start()
    {
        thread.start();
    }

    /** From any thread: ask for a channel to be connected. */
    void connect(final AeronChannel channel, final WorkerAddress address)
    {
        execute(() -> hello(channel, address));
    }

    /** From any thread: forget a channel. */
    void disconnect(final AeronChannel channel)
    {
        execute(() ->
        {
            connecting.remove(channel.id());
            final PeerLink link = links.get(channel.identity().transportId());
            if (null != link)
            {
                link.channels().remove(channel);
            }
        });
    }

    void wake()
    {
        AgentIdle.wake(idle);
    }

    /** From any thread: an image ended; aeron calls on this agent's thread. */
    void onLostImage(final Image image)
    {
        final long peer = peerOfImage.remove(image.correlationId());
        final PeerLink link = links.get(peer);
        if (null != link)
        {
            fail(link, "its control stream ended without a goodbye", null);
        }
    }

    /** Say goodbye, stop the thread and close Aeron; bounded by a deadline. */
    void close()
    {
        closing = true;
        wake();
        if (Thread.currentThread() == thread)
        {
            return;
        }

        boolean interrupted = false;
        while (thread.isAlive())
        {
            try
            {
                thread.join();
            }
            catch (final InterruptedException ex)
            {
                LOG.debug("interrupted while closing: closing goes on", ex);
                interrupted = true;
            }
        }

        if (interrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run()
    {
        try
        {
            while (!closing)
            {
                idle.idle(doWork());
            }

            sayGoodbye();
        }
        finally
        {
            medium.close();
        }
    }

    private int doWork()
    {
        int work = 0;
        try
        {
            nowNs = System.nanoTime();
            work += medium.invoke();
            work += drainCommands();
            work += medium.control().poll(fragmentHandler, FRAGMENT_LIMIT);
            work += flushLinks();
            judge();
        }
        catch (final RuntimeException ex)
        {
            LOG.error("transport aeron of rank {}: {}", config.rank(), ex.getMessage(), ex);
        }

        if (medium.isClosed())
        {
            failAll("the media driver or its client is gone");
        }

        return work;
    }

    private void execute(final Runnable command)
    {
        commands.add(command);
        wake();
    }

    private int drainCommands()
    {
        int count = 0;
        Runnable command = commands.poll();
        while (null != command)
        {
            command.run();
            count++;
            command = commands.poll();
        }

        return count;
    }

    private int flushLinks()
    {
        int sent = 0;
        for (final PeerLink link : links.values())
        {
            sent += link.flush(nowNs, liveness.heartbeatNs());
            if (!link.isLive() && link.isFlushed())
            {
                link.closePublication();
            }
        }

        return sent;
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

    private void hello(final AeronChannel channel, final WorkerAddress address)
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
            channel.id(), address.worker(), channel.incarnation(), own, address.identity()));
    }

    private void onFragment(final DirectBuffer buffer, final int offset, final int length, final Header header)
    {
        if (!ControlProtocol.isValid(buffer, offset, length))
        {
            LOG.warn("transport aeron of rank {}: a stranger's message of {} bytes is ignored", config.rank(), length);
            return;
        }

        final int type = ControlProtocol.type(buffer, offset);
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
            link.send(ControlProtocol.accept(channel, own, sender));
        }
        else
        {
            link.send(ControlProtocol.refuse(channel, refusal, own, sender));
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
        if (own.host().equals(link.identity().host()))
        {
            remains.add(link.identity());
        }

        report(failure);
    }

    private void failAll(final String how)
    {
        for (final PeerLink link : links.values())
        {
            fail(link, how, null);
        }
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

    private void sayGoodbye()
    {
        for (final PeerLink link : links.values())
        {
            if (link.isLive())
            {
                link.send(ControlProtocol.plain(ControlProtocol.GOODBYE, own, link.identity()));
            }
        }

        final long deadlineNs = System.nanoTime() + FAREWELL_NS;
        while (System.nanoTime() - deadlineNs < 0 && isAwaitingFarewell())
        {
            idle.idle(doWork());
        }
    }

    private boolean isAwaitingFarewell()
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
}
