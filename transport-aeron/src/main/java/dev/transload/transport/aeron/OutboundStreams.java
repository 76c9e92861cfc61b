/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.transport.base.PeerIdentity;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiConsumer;

/** The streams of operations that this transport sends, from wished for to lost; on the transport's thread alone. */
final class OutboundStreams
{
    private final List<Wish> wishes = new ArrayList<>();
    private final List<OperationStream> ready = new ArrayList<>();

    /**
     * What happens when a stream is ready.
     *
     * @param stream  that is not yet.
     * @param onReady to be run.
     */
    private record Wish(OperationStream stream, Runnable onReady)
    {
    }

    void whenReady(final OperationStream stream, final Runnable onReady)
    {
        if (stream.isReady())
        {
            onReady.run();
        }
        else
        {
            wishes.add(new Wish(stream, onReady));
        }
    }

    /**
     * A step for each stream that is not ready.
     *
     * @param medium    of the transport.
     * @param onFailure told of a peer to whom no stream can be made.
     * @return streams that became ready.
     */
    int establish(final Medium medium, final BiConsumer<PeerIdentity, RuntimeException> onFailure)
    {
        int count = 0;
        for (final Iterator<Wish> iterator = wishes.iterator(); iterator.hasNext();)
        {
            final Wish wish = iterator.next();
            try
            {
                if (wish.stream().establish(medium))
                {
                    iterator.remove();
                    if (!ready.contains(wish.stream()))
                    {
                        ready.add(wish.stream());
                    }

                    wish.onReady().run();
                    count++;
                }
            }
            catch (final RuntimeException ex)
            {
                iterator.remove();
                onFailure.accept(wish.stream().peer(), ex);
            }
        }

        return count;
    }

    boolean isEstablishing()
    {
        return !wishes.isEmpty();
    }

    /** Peers to whom a stream was ready and is not connected any more: what is sent again would follow a gap. */
    List<PeerIdentity> lostPeers()
    {
        List<PeerIdentity> lost = List.of();
        for (final OperationStream stream : ready)
        {
            if (stream.isLost())
            {
                lost = new ArrayList<>(lost);
                lost.add(stream.peer());
            }
        }

        return lost;
    }

    void close(final OperationStream stream)
    {
        wishes.removeIf((wish) -> wish.stream() == stream);
        ready.remove(stream);
        stream.close();
    }

    /** Forget a peer; its streams are closed by their users. */
    void forget(final PeerIdentity peer)
    {
        wishes.removeIf((wish) -> wish.stream().peer().transportId() == peer.transportId());
        ready.removeIf((stream) -> stream.peer().transportId() == peer.transportId());
    }
}
