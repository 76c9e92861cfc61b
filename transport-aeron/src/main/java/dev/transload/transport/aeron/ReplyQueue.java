/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;

/** Answers to one peer, in the order of its requests; as many as the peer's channels may have under way. */
final class ReplyQueue
{
    private static final int MAX_REASON = 600;

    private final OperationStream stream;
    private final ArrayDeque<Reply> waiting = new ArrayDeque<>();

    /** An answer, of which a load's is sent bit by bit. */
    private static final class Reply
    {
        private final int type;
        private final int channel;
        private final long position;
        private final int region;
        private final long offset;
        private final long length;
        private final byte[] reason;
        private long sent;

        Reply(
            final int type,
            final int channel,
            final long position,
            final int region,
            final long offset,
            final long length,
            final byte[] reason)
        {
            this.type = type;
            this.channel = channel;
            this.position = position;
            this.region = region;
            this.offset = offset;
            this.length = length;
            this.reason = reason;
        }
    }

    ReplyQueue(final OperationStream stream)
    {
        this.stream = stream;
    }

    PeerIdentity peer()
    {
        return stream.peer();
    }

    void flushed(final int channel, final long position)
    {
        waiting.add(new Reply(OperationLayout.FLUSHED, channel, position, 0, 0, 0, null));
    }

    void loaded(final int channel, final long position, final int region, final long offset, final long length)
    {
        waiting.add(new Reply(OperationLayout.LOADED, channel, position, region, offset, length, null));
    }

    void broken(final int channel, final String reason)
    {
        final byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        waiting.add(new Reply(OperationLayout.BROKEN, channel, 0, 0, 0, 0,
            text.length > MAX_REASON ? Arrays.copyOf(text, MAX_REASON) : text));
    }

    /**
     * Send as much as the stream takes.
     *
     * @param regions whose lock is held.
     * @return messages sent.
     */
    int send(final RegionTable regions)
    {
        int sent = 0;
        Reply reply = waiting.peek();
        while (null != reply)
        {
            final boolean isDone = switch (reply.type)
            {
                case OperationLayout.LOADED -> sendLoaded(reply, regions);
                case OperationLayout.BROKEN -> sendBroken(reply);
                default -> sendFlushed(reply);
            };
            if (!isDone)
            {
                return sent;
            }

            waiting.poll();
            reply = waiting.peek();
            sent++;
        }

        return sent;
    }

    private boolean sendFlushed(final Reply reply)
    {
        if (OperationStream.CLAIMED != stream.claim(
            OperationLayout.FLUSHED, reply.channel, 0, 0, 0, reply.position, 0))
        {
            return false;
        }

        stream.commit();
        return true;
    }

    private boolean sendBroken(final Reply reply)
    {
        if (OperationStream.CLAIMED != stream.claim(
            OperationLayout.BROKEN, reply.channel, 0, 0, 0, 0, reply.reason.length))
        {
            return false;
        }

        stream.putBytes(reply.reason);
        stream.commit();
        return true;
    }

    private boolean sendLoaded(final Reply reply, final RegionTable regions)
    {
        final RegionTable.Target target = regions.target(reply.region);
        if (null == target)
        {
            waiting.poll();
            waiting.addFirst(new Reply(OperationLayout.BROKEN, reply.channel, 0, 0, 0, 0,
                "the region was closed under a load".getBytes(StandardCharsets.UTF_8)));
            return sendBroken(waiting.peek());
        }

        do
        {
            final long from = reply.offset + reply.sent;
            final int bytes = part(target.address() + from, reply.length - reply.sent);
            final boolean isLast = reply.sent + bytes == reply.length;
            if (OperationStream.CLAIMED != stream.claim(OperationLayout.LOADED, reply.channel, 0,
                isLast ? OperationLayout.LAST : 0, reply.sent, reply.position, bytes))
            {
                return false;
            }

            WordCopy.copy(target.address() + from, stream.bytesAddress(), bytes);
            stream.commit();
            reply.sent += bytes;
        }
        while (reply.sent < reply.length);

        return true;
    }

    /** As much as a message holds; all but the last part end between two words, none of which may be torn. */
    private int part(final long address, final long remaining)
    {
        final int room = stream.maxBytes();
        return (int)(remaining <= room ? remaining : room - (address + room & Long.BYTES - 1));
    }
}
