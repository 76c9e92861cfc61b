/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.TransportException;
import dev.transload.transport.base.ControlAgent;
import dev.transload.transport.base.ControlHooks;
import dev.transload.transport.base.OrphanedDirectories;
import dev.transload.transport.base.PeerIdentity;
import io.aeron.Image;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.agrona.collections.Long2ObjectHashMap;

/** What Aeron adds to the control plane: streams of operations in both directions; on the transport's thread alone. */
final class PeerStreams implements ControlHooks
{
    private final PeerIdentity own;
    private final Medium medium;
    private final InboundOperations inbound;
    private final IntPredicate openWorkers;
    private final OutboundStreams outbound = new OutboundStreams();
    private final OrphanedDirectories orphaned = new OrphanedDirectories();
    private final Long2ObjectHashMap<OperationStream> replies = new Long2ObjectHashMap<>();
    private ControlAgent agent;

    PeerStreams(
        final PeerIdentity own,
        final Medium medium,
        final InboundOperations inbound,
        final IntPredicate openWorkers)
    {
        this.own = own;
        this.medium = medium;
        this.inbound = inbound;
        this.openWorkers = openWorkers;
    }

    /** Before the agent starts: where to report. */
    void reportTo(final ControlAgent reported)
    {
        agent = reported;
    }

    @Override
    public boolean isOpen(final int worker)
    {
        return openWorkers.test(worker);
    }

    /** Operations may come as soon as we consent, and some want answers. */
    @Override
    public void prepare(
        final PeerIdentity peer, final int worker, final int service, final Consumer<ByteBuffer> ready)
    {
        if (DataPath.MESSAGES.ordinal() != service)
        {
            ready.accept(ByteBuffer.allocate(0));
            return;
        }

        final OperationStream stream =
            replies.computeIfAbsent(peer.transportId(), (id) -> new OperationStream(own, peer));
        outbound.whenReady(stream, () ->
        {
            inbound.addReplies(stream);
            ready.accept(ByteBuffer.allocate(0));
        });
    }

    @Override
    public int pollInbound()
    {
        return inbound.poll();
    }

    @Override
    public int doWork()
    {
        return outbound.establish(medium, this::onUnmadeStream);
    }

    @Override
    public boolean isBusy()
    {
        return outbound.isEstablishing();
    }

    @Override
    public void onHeartbeat()
    {
        orphaned.cleanUp();
        for (final PeerIdentity peer : outbound.lostPeers())
        {
            report(peer.transportId(), "it dropped its stream of operations", null);
        }
    }

    @Override
    public void onPeerFailed(final PeerIdentity peer)
    {
        inbound.revoke(peer);
        forget(peer);
        if (own.process().sharesHostWith(peer.process()))
        {
            final AeronContact contact = AeronContact.of(peer);
            orphaned.add(contact.regionDirectory(), contact.driverDirectory());
        }
    }

    @Override
    public void onPeerLeft(final PeerIdentity peer)
    {
        forget(peer);
    }

    void whenReady(final OperationStream stream, final Runnable onReady)
    {
        outbound.whenReady(stream, onReady);
    }

    void close(final OperationStream stream)
    {
        outbound.close(stream);
    }

    /** Aeron calls it while it lets nobody close a publication; the agent acts on the report later. */
    void onLostImage(final Image image)
    {
        inbound.onLostImage(image);
        report(medium.forget(image), "its control stream ended without a goodbye", null);
    }

    private void forget(final PeerIdentity peer)
    {
        replies.remove(peer.transportId());
        outbound.forget(peer);
    }

    private void onUnmadeStream(final PeerIdentity peer, final RuntimeException cause)
    {
        report(peer.transportId(), "no stream of operations can be made to it: " + cause.getMessage(), cause);
    }

    private void report(final long transportId, final String how, final Throwable cause)
    {
        agent.reportFailed(transportId, how, TransportException.NO_STATUS, cause);
    }
}
