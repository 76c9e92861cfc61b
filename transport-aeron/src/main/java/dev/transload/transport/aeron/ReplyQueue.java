/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.RegionTable;
import dev.transload.transport.base.WordCopy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Answers to one peer, in the order of its requests; as many as the peer's channels may have under way. The entries
 * are reused, so that answering allocates nothing.
 */
final class ReplyQueue
{
    private static final int MAX_REASON = 600;
    private static final int INITIAL_CAPACITY = 64;

    private final OperationStream stream;
    private Reply[] ring = newRing(INITIAL_CAPACITY);
    private long head;
    private long tail;

    /** An answer, of which a load's is sent bit by bit. */
    private static final class Reply
    {
        private int type;
        private int channel;
        private long position;
        private int region;
        private long offset;
        private long length;
        private long sent;
        private byte[] reason;
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
        add(OperationLayout.FLUSHED, channel, position);
    }

    void loaded(final int channel, final long position, final int region, final long offset, final long length)
    {
        final Reply reply = add(OperationLayout.LOADED, channel, position);
        reply.region = region;
        reply.offset = offset;
        reply.length = length;
        reply.sent = 0;
    }

    void broken(final int channel, final String reason)
    {
        final byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        add(OperationLayout.BROKEN, channel, 0).reason =
            text.length > MAX_REASON ? Arrays.copyOf(text, MAX_REASON) : text;
    }

    /** Send as much as the stream takes. */
    int send(final RegionTable regions)
    {
        int sent = 0;
        while (head < tail && send(ring[(int)(head & ring.length - 1)], regions))
        {
            head++;
            sent++;
        }

        return sent;
    }

    private boolean send(final Reply reply, final RegionTable regions)
    {
        if (OperationLayout.LOADED == reply.type)
        {
            final RegionTable.Target target = regions.target(reply.region);
            if (null != target)
            {
                return sendLoaded(reply, target);
            }

            reply.type = OperationLayout.BROKEN;
            reply.reason = "the region was closed under a load".getBytes(StandardCharsets.UTF_8);
        }

        final int bytes = OperationLayout.BROKEN == reply.type ? reply.reason.length : 0;
        if (OperationStream.CLAIMED != stream.claim(reply.type, reply.channel, 0, 0, 0, reply.position, bytes))
        {
            return false;
        }

        if (bytes > 0)
        {
            stream.putBytes(reply.reason);
        }

        stream.commit();
        return true;
    }

    private boolean sendLoaded(final Reply reply, final RegionTable.Target target)
    {
        do
        {
            final long from = target.address() + reply.offset + reply.sent;
            final int bytes = part(from, reply.length - reply.sent);
            final boolean isLast = reply.sent + bytes == reply.length;
            if (OperationStream.CLAIMED != stream.claim(OperationLayout.LOADED, reply.channel, 0,
                isLast ? OperationLayout.LAST : 0, reply.sent, reply.position, bytes))
            {
                return false;
            }

            WordCopy.copy(from, stream.bytesAddress(), bytes);
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

    private Reply add(final int type, final int channel, final long position)
    {
        if (tail - head == ring.length)
        {
            grow();
        }

        final Reply reply = ring[(int)(tail++ & ring.length - 1)];
        reply.type = type;
        reply.channel = channel;
        reply.position = position;
        return reply;
    }

    private void grow()
    {
        final Reply[] larger = newRing(2 * ring.length);
        for (long i = head; i < tail; i++)
        {
            larger[(int)(i & larger.length - 1)] = ring[(int)(i & ring.length - 1)];
        }

        ring = larger;
    }

    private static Reply[] newRing(final int capacity)
    {
        final Reply[] replies = new Reply[capacity];
        Arrays.setAll(replies, (i) -> new Reply());
        return replies;
    }
}
