/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.internal.connect.EngineListener;
import dev.transload.kernels.StepSession;
import dev.transload.rendezvous.Loss;
import dev.transload.rendezvous.Member;
import dev.transload.spi.PeerFailedException;
import dev.transload.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which ranks take part, by this rank's own verdict. News of lost ranks come on any thread; they are taken where the
 * calling thread looks.
 */
final class RankMask implements EngineListener, FarVerdict
{
    private static final Logger LOGGER = LoggerFactory.getLogger(RankMask.class);

    private final int ownRank;
    private final PeerLink[] links;
    /** Set by the calling thread; null while a rank is active. */
    private final AtomicReferenceArray<String> reasons;
    private final AtomicReferenceArray<String> news;
    /** What transports told of ranks that they gave up: for good, as they never take such a rank back. */
    private final AtomicReferenceArray<String> givenUp;
    /** Of the lanes, once they are open. */
    private final List<StepSession> sessions = new ArrayList<>();
    private boolean isAnyOpen;

    RankMask(final int ownRank, final PeerLink[] links)
    {
        this.ownRank = ownRank;
        this.links = links;
        this.reasons = new AtomicReferenceArray<>(links.length);
        this.news = new AtomicReferenceArray<>(links.length);
        this.givenUp = new AtomicReferenceArray<>(links.length);
    }

    /** Of a lane: a masked rank takes part in none. */
    void add(final StepSession session)
    {
        sessions.add(session);
    }

    /** Of the connection to another rank. */
    int generation(final int rank)
    {
        return links[rank].generation();
    }

    @Override
    public boolean isActive(final int rank)
    {
        return null == reasons.getAcquire(rank);
    }

    /** By rank, null while it is active; any thread may read them. */
    AtomicReferenceArray<String> reasons()
    {
        return reasons;
    }

    /** Null while it is active. */
    String reason(final int rank)
    {
        return reasons.getAcquire(rank);
    }

    int size()
    {
        return links.length;
    }

    int masked()
    {
        int count = 0;
        for (int rank = 0; rank < links.length; rank++)
        {
            count += isActive(rank) ? 0 : 1;
        }

        return count;
    }

    /**
     * Have a rank take part no more: nothing is submitted to it from now on. Its channels stay open until
     * {@link #closeChannels()}, as closing may take a transport long, and others are served meanwhile.
     */
    @Override
    public void mask(final int rank, final String reason)
    {
        if (isActive(rank))
        {
            reasons.setRelease(rank, reason);
            isAnyOpen = true;
            for (int lane = 0; lane < sessions.size(); lane++)
            {
                sessions.get(lane).mask(rank);
            }

            LOGGER.warn("rank {} masks rank {}: {}", ownRank, rank, reason);
        }
    }

    /**
     * Close what leads to masked ranks, so that nothing of this rank's memory is read for them any more. What belongs
     * to another thread is closed by that.
     */
    void closeChannels()
    {
        for (int rank = 0; rank < links.length && isAnyOpen; rank++)
        {
            if (!isActive(rank) && !links[rank].isElsewhere())
            {
                links[rank].revoke();
            }
        }

        isAnyOpen = false;
    }

    /** Whether a rank is known to be gone, or masked. */
    boolean isGone(final int rank)
    {
        return !isActive(rank) || null != heard(rank) || null != links[rank].failure();
    }

    /** Mask a rank that is known to be gone; looks at its channels and at what was heard. */
    @Override
    public boolean maskIfGone(final int rank)
    {
        if (null != heard(rank))
        {
            mask(rank, heard(rank));
        }
        else if (null != links[rank].failure())
        {
            mask(rank, links[rank].failure().getMessage());
        }

        return !isActive(rank);
    }

    private String heard(final int rank)
    {
        return null == givenUp.get(rank) ? news.get(rank) : givenUp.get(rank);
    }

    /** Why a rank cannot come back, null where it may. */
    String lastWord(final int rank)
    {
        final TransportException failure = links[rank].failure();
        return null != givenUp.get(rank) ? givenUp.get(rank) :
            failure instanceof PeerFailedException ? failure.getMessage() : null;
    }

    void clear(final int rank, final int generation)
    {
        news.set(rank, null);
        reasons.setRelease(rank, null);
        if (!links[rank].isElsewhere())
        {
            links[rank].reconnect(generation);
        }

        LOGGER.info("rank {} connects to rank {} anew, generation {}", ownRank, rank, generation);
    }

    /** A transport gave a rank up; any thread may tell. */
    void giveUp(final int rank, final String reason)
    {
        if (rank != ownRank)
        {
            givenUp.compareAndSet(rank, null, reason);
        }
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
    public void onMemberLost(final Member member, final Loss loss, final String reason)
    {
        tell(member.rank(), member.describe() + " failed: " + reason);
    }

    @Override
    public void onClosed(final int rank)
    {
        tell(rank, "it closed its engine");
    }

    @Override
    public void onAnnouncement(final int rank, final ByteBuffer message)
    {
        // Ranks of this mode have nothing to announce: each masks others by its own verdict.
    }
}
