/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousListener;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which ranks take part, by this rank's own verdict. News of lost ranks come on any thread; they are taken where the
 * calling thread looks.
 */
final class RankMask implements RendezvousListener
{
    private static final Logger LOGGER = LoggerFactory.getLogger(RankMask.class);

    private final int ownRank;
    private final PeerLink[] links;
    private final String[] reasons;
    private final AtomicReferenceArray<String> news;

    RankMask(final int ownRank, final PeerLink[] links)
    {
        this.ownRank = ownRank;
        this.links = links;
        this.reasons = new String[links.length];
        this.news = new AtomicReferenceArray<>(links.length);
    }

    boolean isActive(final int rank)
    {
        return null == reasons[rank];
    }

    /** Null while it is active. */
    String reason(final int rank)
    {
        return reasons[rank];
    }

    int size()
    {
        return links.length;
    }

    int masked()
    {
        int count = 0;
        for (final String reason : reasons)
        {
            count += null == reason ? 0 : 1;
        }

        return count;
    }

    /** Have a rank take part no more: its channels are closed, so that nothing is written to it from now on. */
    void mask(final int rank, final String reason)
    {
        if (isActive(rank))
        {
            reasons[rank] = reason;
            links[rank].revoke();
            LOGGER.warn("rank {} masks rank {}: {}", ownRank, rank, reason);
        }
    }

    /** Whether a rank is known to be gone, or masked. */
    boolean isGone(final int rank)
    {
        return !isActive(rank) || null != news.get(rank) || null != links[rank].failure();
    }

    /** Mask a rank that is known to be gone; looks at its channels and at what was heard. */
    boolean maskIfGone(final int rank)
    {
        if (null != news.get(rank))
        {
            mask(rank, news.get(rank));
        }
        else if (null != links[rank].failure())
        {
            mask(rank, links[rank].failure().getMessage());
        }

        return !isActive(rank);
    }

    void clear(final int rank)
    {
        news.set(rank, null);
        reasons[rank] = null;
        links[rank].reconnect();
        LOGGER.info("rank {} connects to rank {} anew", ownRank, rank);
    }

    /** Any thread may tell. */
    void tell(final int rank, final String reason)
    {
        if (rank != ownRank)
        {
            news.compareAndSet(rank, null, reason);
        }
    }

    @Override
    public void onMemberLost(final Member member, final String reason)
    {
        tell(member.rank(), member.describe() + " failed: " + reason);
    }

    @Override
    public void onAnnouncement(final int rank, final ByteBuffer message)
    {
        // What other engines of the world announce is not meant for this one.
    }
}
