/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.StepOp;
import dev.transload.kernels.StepOutput;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepStatus;
import dev.transload.kernels.StepWords;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;

/** Other ranks as a session sees them: their memory, who is active, what they have granted, and until when. */
final class StepPeers
{
    final StepShape shape;
    final StepWords words;
    final StepStatus status;
    final LongSupplier clock;
    long timeoutNs;
    final StepOutput[][] outputs;
    final MemoryRegion[][] answers;
    private final SteppingFabric fabric;
    private final StepStores stores;
    private final StepPeer[] peers;
    private final int[] generations;
    private final boolean[] active;
    private final boolean[] granted;
    private final boolean[] reading;
    private final long[] notGrantedNs;
    private final long[] renewedNs;
    private final long[] heardNs;
    private final long[] signsSeen;
    private long grantedNs;
    private long readyNs;
    private long signedNs;
    private int signs;

    StepPeers(
        final SteppingFabric fabric, final StepShape shape, final List<StepPeer> given, final StepStores stores,
        final LongSupplier clock)
    {
        final int ranks = shape.ranks();
        this.fabric = fabric;
        this.shape = shape;
        this.timeoutNs = shape.timeoutNs();
        this.words = new StepWords(shape);
        this.status = new StepStatus(ByteBuffer.allocateDirect(StepStatus.bytes(ranks)), ranks);
        this.clock = clock;
        this.stores = stores;
        this.outputs = new StepOutput[ranks][StepWords.MAX_TENSORS];
        this.answers = new MemoryRegion[ranks][StepWords.MAX_TENSORS];
        this.peers = given.toArray(new StepPeer[0]);
        this.generations = new int[ranks];
        this.active = new boolean[ranks];
        this.granted = new boolean[ranks];
        this.reading = new boolean[ranks];
        this.notGrantedNs = new long[ranks];
        this.renewedNs = new long[ranks];
        this.heardNs = new long[ranks];
        this.signsSeen = new long[ranks];
        Arrays.fill(generations, 1);
        Arrays.fill(active, true);
    }

    StepPeer peer(final int rank)
    {
        return peers[rank];
    }

    int own()
    {
        return shape.ownRank();
    }

    boolean isActive(final int rank)
    {
        return active[rank];
    }

    void mask(final int rank, final int state, final StepOp wait)
    {
        if (active[rank])
        {
            active[rank] = false;
            reading[rank] &= StepStatus.LATE == state;
            status.rank(rank, state, wait);
        }
    }

    void activate(final int rank, final StepPeer peer, final int generation)
    {
        peers[rank] = peer;
        generations[rank] = generation;
        active[rank] = true;
        granted[rank] = false;
        reading[rank] = false;
        status.rank(rank, StepStatus.ACTIVE, StepOp.BUCKET);
    }

    /** Store a word at a rank; it arrives in its own time. */
    void tell(final int rank, final long offset, final long call, final int value)
    {
        stores.add(peers[rank].words(), offset, StepWords.word(generations[rank], call, value));
    }

    /** Own word. */
    long read(final long offset)
    {
        final byte[] bytes = new byte[Long.BYTES];
        ((SteppingRegion)peers[own()].words()).readWire(offset, bytes);
        return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getLong();
    }

    boolean hasCome(final int rank, final long word, final long call)
    {
        return fabric.has(Fault.STP_2) ? 0 != word : StepWords.isOf(word, generations[rank], call);
    }

    void beginLeases()
    {
        for (int rank = 0; rank < peers.length; rank++)
        {
            notGranted(rank);
        }
    }

    void notGranted(final int rank)
    {
        notGrantedNs[rank] = clock.getAsLong();
        renewedNs[rank] = notGrantedNs[rank];
    }

    /** Whether what a rank has granted may be used no more; it is masked then. */
    boolean isLeaseOver(final int rank, final StepOp wait)
    {
        final long nowNs = clock.getAsLong();
        if (rank == own() || fabric.has(Fault.STP_6) || nowNs - renewedNs[rank] < timeoutNs / 2 &&
            nowNs - notGrantedNs[rank] < (StepShape.LONGEST_WAIT - 1) * timeoutNs)
        {
            return false;
        }

        mask(rank, StepStatus.LATE, wait);
        return true;
    }

    void giveSigns()
    {
        final long nowNs = clock.getAsLong();
        if (nowNs - signedNs >= timeoutNs / StepShape.SIGNS_A_TIMEOUT)
        {
            signedNs = nowNs;
            signs++;
            for (int rank = 0; rank < peers.length; rank++)
            {
                if (active[rank])
                {
                    tell(rank, words.alive(own()), 0, signs);
                    renewedNs[rank] =
                        nowNs - renewedNs[rank] < timeoutNs / 2 ? nowNs : renewedNs[rank];
                }
            }
        }
    }

    void beginSilence(final int rank)
    {
        heardNs[rank] = clock.getAsLong();
    }

    /** Masks a rank that was waited for in vain. */
    boolean isLost(final int rank, final long beginNs, final StepOp wait)
    {
        final long nowNs = clock.getAsLong();
        listen(rank, nowNs);
        if (rank != own() && active[rank] && (nowNs - heardNs[rank] >= timeoutNs ||
            nowNs - beginNs >= StepShape.LONGEST_WAIT * timeoutNs))
        {
            mask(rank, StepStatus.SILENT, wait);
        }

        return !active[rank];
    }

    private void listen(final int rank, final long nowNs)
    {
        final long sign = read(words.alive(rank));
        if (sign != signsSeen[rank] && StepWords.isOf(sign, generations[rank], 0))
        {
            signsSeen[rank] = sign;
            heardNs[rank] = nowNs;
        }
    }

    void grant(final int rank)
    {
        granted[rank] = true;
        grantedNs = clock.getAsLong();
    }

    void endGrant(final int rank)
    {
        granted[rank] = false;
    }

    /** A rank may read answers from now on. */
    void beginReading(final int rank)
    {
        reading[rank] = true;
        readyNs = clock.getAsLong();
    }

    void endReading(final int rank)
    {
        reading[rank] = false;
    }

    /** Whether a rank that this one was too late for may still read the answers that it was granted. */
    boolean isReading(final int rank)
    {
        final long nowNs = clock.getAsLong();
        listen(rank, nowNs);
        reading[rank] &= nowNs - Math.max(heardNs[rank], readyNs) < timeoutNs;
        return reading[rank];
    }

    boolean isGrantOpen()
    {
        final long nowNs = clock.getAsLong();
        boolean isAny = false;
        for (int rank = 0; rank < peers.length; rank++)
        {
            if (granted[rank] && !active[rank])
            {
                listen(rank, nowNs);
                granted[rank] = nowNs - Math.max(heardNs[rank], grantedNs) < timeoutNs;
                isAny |= granted[rank];
            }
        }

        return isAny;
    }
}
