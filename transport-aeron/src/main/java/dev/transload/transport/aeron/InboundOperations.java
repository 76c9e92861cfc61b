/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.TransportException;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.RegionDescriptor;
import dev.transload.transport.base.RegionTable;
import io.aeron.Image;
import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.Long2ObjectHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What peers send us: operations on our regions, and answers to ours. Applied by the transport's thread, and by workers
 * that make progress meanwhile, one at a time, under the lock of the region table.
 */
final class InboundOperations
{
    private static final Logger LOG = LoggerFactory.getLogger(InboundOperations.class);
    private static final int FRAGMENT_LIMIT = 64;

    private final PeerIdentity own;
    private final Subscription data;
    private final RegionTable regions;
    private final Int2ObjectHashMap<MessageChannel> channels = new Int2ObjectHashMap<>();
    private final Long2ObjectHashMap<InboundStream> streams = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<ReplyQueue> replies = new Long2ObjectHashMap<>();
    private final FragmentHandler handler = this::onFragment;

    /**
     * Over a subscription.
     *
     * @param own     identity.
     * @param data    subscription of operations, null where messages are not accepted.
     * @param regions that peers may address.
     */
    InboundOperations(final PeerIdentity own, final Subscription data, final RegionTable regions)
    {
        this.own = own;
        this.data = data;
        this.regions = regions;
    }

    /** Apply what has arrived, unless another thread is at it. */
    int poll()
    {
        if (null == data || !regions.lock().tryLock())
        {
            return 0;
        }

        try
        {
            int work = data.isClosed() ? 0 : data.poll(handler, FRAGMENT_LIMIT);
            for (final ReplyQueue queue : replies.values())
            {
                work += queue.send(regions);
            }

            return work;
        }
        finally
        {
            regions.lock().unlock();
        }
    }

    void add(final MessageChannel channel)
    {
        regions.lock().lock();
        try
        {
            channels.put(channel.id(), channel);
        }
        finally
        {
            regions.lock().unlock();
        }
    }

    /** On return nothing is written for this channel any more. */
    void remove(final MessageChannel channel)
    {
        regions.lock().lock();
        try
        {
            channels.remove(channel.id());
        }
        finally
        {
            regions.lock().unlock();
        }
    }

    /** Answers to a peer go into this stream. */
    void addReplies(final OperationStream stream)
    {
        regions.lock().lock();
        try
        {
            if (!replies.containsKey(stream.peer().transportId()))
            {
                replies.put(stream.peer().transportId(), new ReplyQueue(stream));
            }
        }
        finally
        {
            regions.lock().unlock();
        }
    }

    /** Nothing of this peer is applied any more. */
    void revoke(final PeerIdentity peer)
    {
        regions.lock().lock();
        try
        {
            replies.remove(peer.transportId());
            for (final InboundStream stream : streams.values())
            {
                if (stream.peer() == peer.transportId())
                {
                    stream.revoke();
                }
            }
        }
        finally
        {
            regions.lock().unlock();
        }
    }

    /** An image of the subscription has ended. */
    void onLostImage(final Image image)
    {
        regions.lock().lock();
        try
        {
            streams.remove(image.correlationId());
        }
        finally
        {
            regions.lock().unlock();
        }
    }

    private void onFragment(final DirectBuffer buffer, final int offset, final int length, final Header header)
    {
        final Image image = (Image)header.context();
        final InboundStream stream = streams.get(image.correlationId());
        if (null == stream)
        {
            greet(buffer, offset, length, image);
        }
        else if (!stream.isRevoked())
        {
            try
            {
                apply(stream, buffer, offset, length);
            }
            catch (final RuntimeException ex)
            {
                LOG.warn("rank {}: an operation of a peer failed", own.rank(), ex);
                refuse(stream, OperationLayout.channel(buffer, offset), ex.toString());
            }
        }
    }

    private void greet(final DirectBuffer buffer, final int offset, final int length, final Image image)
    {
        final boolean isGreeting = length >= OperationLayout.HEADER_LENGTH &&
            OperationLayout.GREETING == OperationLayout.type(buffer, offset) &&
            OperationLayout.VERSION == OperationLayout.channel(buffer, offset) &&
            OperationLayout.value(buffer, offset) == own.token();
        final InboundStream stream = new InboundStream(OperationLayout.offset(buffer, offset));
        streams.put(image.correlationId(), stream);
        if (!isGreeting)
        {
            stream.revoke();
            LOG.warn("rank {}: a stream of {} that is not meant for it is rejected", own.rank(),
                image.sourceIdentity());
            image.reject("not meant for rank " + own.rank());
        }
    }

    private void apply(final InboundStream stream, final DirectBuffer buffer, final int offset, final int length)
    {
        final int channel = OperationLayout.channel(buffer, offset);
        final int bytes = length - OperationLayout.HEADER_LENGTH;
        if (stream.isBroken(channel))
        {
            return;
        }

        switch (OperationLayout.type(buffer, offset))
        {
            case OperationLayout.PUT -> put(stream, buffer, offset, bytes);
            case OperationLayout.ADD_SIGNAL -> add(stream, buffer, offset, RegionDescriptor.SIGNALS, 1);
            case OperationLayout.ADD_WORD -> add(stream, buffer, offset, RegionDescriptor.REGION, Long.BYTES);
            case OperationLayout.FLUSH ->
                queue(stream).flushed(channel, OperationLayout.value(buffer, offset));
            case OperationLayout.LOAD -> load(stream, buffer, offset);
            case OperationLayout.FLUSHED -> onFlushed(channel, OperationLayout.value(buffer, offset));
            case OperationLayout.LOADED -> onLoaded(channel, buffer, offset, bytes);
            case OperationLayout.BROKEN -> onBroken(
                channel, buffer.getStringWithoutLengthUtf8(offset + OperationLayout.HEADER_LENGTH, bytes));
            default -> refuse(stream, channel, "unknown operation " + OperationLayout.type(buffer, offset));
        }
    }

    private void put(final InboundStream stream, final DirectBuffer buffer, final int at, final int bytes)
    {
        final RegionTable.Target target = target(stream, buffer, at, RegionDescriptor.REGION, bytes);
        if (null != target)
        {
            UnsafeApi.copyMemory(buffer.addressOffset() + at + OperationLayout.HEADER_LENGTH,
                target.address() + OperationLayout.offset(buffer, at), bytes);
        }
    }

    private void add(
        final InboundStream stream, final DirectBuffer buffer, final int at, final int kind, final int extent)
    {
        final RegionTable.Target target = target(stream, buffer, at, kind, extent);
        if (null != target)
        {
            final long offset = OperationLayout.offset(buffer, at);
            final long word =
                RegionDescriptor.SIGNALS == kind ? offset * RegionDescriptor.SIGNAL_STRIDE : offset & -Long.BYTES;
            UnsafeApi.getAndAddLong(null, target.address() + word, OperationLayout.value(buffer, at));
        }
    }

    private void load(final InboundStream stream, final DirectBuffer buffer, final int at)
    {
        final long length = OperationLayout.loadLength(buffer, at);
        final RegionTable.Target target = target(stream, buffer, at, RegionDescriptor.REGION, length);
        if (null != target)
        {
            queue(stream).loaded(OperationLayout.channel(buffer, at), OperationLayout.value(buffer, at),
                OperationLayout.region(buffer, at), OperationLayout.offset(buffer, at), length);
        }
    }

    /** Checked here too: the peer's checks are only as good as its descriptors. */
    private RegionTable.Target target(
        final InboundStream stream, final DirectBuffer buffer, final int at, final int kind, final long extent)
    {
        final int id = OperationLayout.region(buffer, at);
        final long offset = OperationLayout.offset(buffer, at);
        final RegionTable.Target target = regions.target(id);
        if (null != target && kind == target.kind() && (offset | extent) >= 0 && offset <= target.length() - extent)
        {
            return target;
        }

        refuse(stream, OperationLayout.channel(buffer, at), RegionDescriptor.name(kind, id) + ", offset " + offset +
            ", length " + extent + ": " + (null == target ? "it is closed or never was" :
            kind != target.kind() ? "it is of another kind" : "its length is " + target.length()));
        return null;
    }

    private ReplyQueue queue(final InboundStream stream)
    {
        final ReplyQueue queue = replies.get(stream.peer());
        if (null == queue)
        {
            throw new IllegalStateException("no stream leads back to the requester");
        }

        return queue;
    }

    private void refuse(final InboundStream stream, final int channel, final String reason)
    {
        stream.breakChannel(channel);
        final ReplyQueue queue = replies.get(stream.peer());
        if (null == queue)
        {
            LOG.warn("rank {}: an operation is refused, and nobody can be told: {}", own.rank(), reason);
        }
        else
        {
            queue.broken(channel, "rank " + own.rank() + " refuses an operation of rank " + queue.peer().rank() + ": " +
                reason);
        }
    }

    private void onFlushed(final int id, final long position)
    {
        final MessageChannel channel = channels.get(id);
        if (null != channel)
        {
            channel.onFlushed(position);
        }
    }

    private void onLoaded(final int id, final DirectBuffer buffer, final int at, final int bytes)
    {
        final MessageChannel channel = channels.get(id);
        if (null != channel)
        {
            channel.onLoaded(OperationLayout.value(buffer, at), OperationLayout.offset(buffer, at),
                buffer.addressOffset() + at + OperationLayout.HEADER_LENGTH, bytes, OperationLayout.isLast(buffer, at));
        }
    }

    private void onBroken(final int id, final String reason)
    {
        final MessageChannel channel = channels.get(id);
        if (null != channel)
        {
            channel.fail(new TransportException("transport aeron: " + reason, TransportException.NO_STATUS, null));
        }
    }
}
