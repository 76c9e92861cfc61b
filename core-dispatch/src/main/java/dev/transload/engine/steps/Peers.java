/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.steps;

import dev.transload.kernels.StepOp;
import dev.transload.kernels.StepOutput;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepStatus;
import dev.transload.kernels.StepWords;
import dev.transload.spi.MemoryRegion;
import java.util.List;

/**
 * The ranks of a session: where their memory is, who takes part, and until when what they have granted holds. An owner
 * grants places in its output, and in a combine its answers. Whoever uses them does so for half of a timeout from the
 * last moment at which it knew that nothing was granted, or gave a sign of life while the grant held (rule STP-6).
 */
final class Peers
{
    private static final int FIRST_GENERATION = 1;

    final int ownRank;
    final StepShape shape;
    final StepWords words;
    private final StepStatus status;
    private final StepPeer[] peers;
    private final long[] wordsAt;
    private final int[] generations;
    private final boolean[] isActive;
    private final StepOutput[][] outputs;
    private final MemoryRegion[][] answers;
    /** By rank: when it was known the last time that it had not granted yet. */
    private final long[] notGrantedNs;
    /** By rank: whether this rank has granted it places that it has not done with. */
    private final boolean[] isGranted;
    /** By rank: whether it may read the answers of this one. */
    private final boolean[] isReading;
    private long grantedNs;
    private long readyNs;
    /** By rank: from when on what it has granted holds; signs of life renew it, as long as it holds. */
    private final long[] renewedNs;
    private final long[] heardNs;
    private final long[] seenSigns;
    private long signedNs;
    private int signs;

    Peers(final StepShape shape, final List<StepPeer> given, final StepStatus status)
    {
        final int ranks = shape.ranks();
        if (given.size() != ranks)
        {
            throw new IllegalArgumentException("peers are " + given.size() + ": must be one for each of " + ranks +
                " ranks");
        }

        this.ownRank = shape.ownRank();
        this.shape = shape;
        this.words = new StepWords(shape);
        this.status = status;
        this.peers = new StepPeer[ranks];
        this.wordsAt = new long[ranks];
        this.generations = new int[ranks];
        this.isActive = new boolean[ranks];
        this.outputs = new StepOutput[ranks][StepWords.MAX_TENSORS];
        this.answers = new MemoryRegion[ranks][StepWords.MAX_TENSORS];
        this.notGrantedNs = new long[ranks];
        this.isGranted = new boolean[ranks];
        this.isReading = new boolean[ranks];
        this.renewedNs = new long[ranks];
        this.heardNs = new long[ranks];
        this.seenSigns = new long[ranks];
        for (int rank = 0; rank < ranks; rank++)
        {
            activate(rank, given.get(rank), FIRST_GENERATION);
        }
    }

    void activate(final int rank, final StepPeer peer, final int generation)
    {
        if (generation < generations[rank] || generation > StepWords.MAX_GENERATION)
        {
            throw new IllegalArgumentException("generation = " + generation + " of rank " + rank +
                " is not allowed: must be in [" + generations[rank] + ", " + StepWords.MAX_GENERATION + "]");
        }

        peers[rank] = peer;
        wordsAt[rank] = null == peer.words() ? 0 : peer.words().address();
        generations[rank] = generation;
        isActive[rank] = true;
        isGranted[rank] = false;
        isReading[rank] = false;
        status.rank(rank, StepStatus.ACTIVE, StepOp.BUCKET);
    }

    int ranks()
    {
        return peers.length;
    }

    boolean isActive(final int rank)
    {
        return isActive[rank];
    }

    boolean isFar(final int rank)
    {
        return peers[rank].isFar();
    }

    StepPeer peer(final int rank)
    {
        return peers[rank];
    }

    void mask(final int rank, final int state, final StepOp wait)
    {
        if (isActive[rank])
        {
            isActive[rank] = false;
            isReading[rank] &= StepStatus.LATE == state;
            status.rank(rank, state, wait);
        }
    }

    /** Of a pair with another rank, or of the own rank with itself. */
    int generation(final int rank)
    {
        return generations[rank];
    }

    /** Address of a word, or of a header, at a near rank. */
    long address(final int rank, final long offset)
    {
        return wordsAt[rank] + offset;
    }

    /** Tell a near rank. */
    void tell(final int rank, final long offset, final long call, final int value)
    {
        Words.store(wordsAt[rank] + offset, StepWords.word(generations[rank], call, value));
    }

    /** A word in the own memory. */
    long read(final long offset)
    {
        return Words.load(wordsAt[ownRank] + offset);
    }

    boolean hasCome(final int rank, final long word, final long call)
    {
        return StepWords.isOf(word, generations[rank], call);
    }

    void output(final int rank, final int number, final StepOutput output)
    {
        outputs[rank][number] = output;
    }

    StepOutput output(final int rank, final int number)
    {
        return outputs[rank][number];
    }

    void answers(final int rank, final int number, final MemoryRegion region)
    {
        answers[rank][number] = region;
    }

    MemoryRegion answers(final int rank, final int number)
    {
        return answers[rank][number];
    }

    /** No rank has granted anything yet. */
    void beginLeases(final long nowNs)
    {
        for (int rank = 0; rank < notGrantedNs.length; rank++)
        {
            notGranted(rank, nowNs);
        }
    }

    void notGranted(final int rank, final long nowNs)
    {
        notGrantedNs[rank] = nowNs;
        renewedNs[rank] = nowNs;
    }

    /** Masks a rank whose grant has run out. */
    boolean isLeaseOver(final int rank, final long nowNs, final StepOp wait)
    {
        if (rank == ownRank || isLeaseValid(rank, nowNs) &&
            nowNs - notGrantedNs[rank] < (StepShape.LONGEST_WAIT - 1) * shape.timeoutNs())
        {
            return false;
        }

        mask(rank, StepStatus.LATE, wait);
        return true;
    }

    private boolean isLeaseValid(final int rank, final long nowNs)
    {
        return nowNs - renewedNs[rank] < shape.timeoutNs() / 2;
    }

    /** Tell ranks that this one lives, where it has not done so for long: they wait on, and their grants hold on. */
    void giveSigns(final long nowNs)
    {
        if (nowNs - signedNs < shape.timeoutNs() / StepShape.SIGNS_A_TIMEOUT)
        {
            return;
        }

        signedNs = nowNs;
        signs++;
        for (int rank = 0; rank < peers.length; rank++)
        {
            if (isActive[rank] && !peers[rank].isFar())
            {
                tell(rank, words.alive(ownRank), 0, signs);
                renewedNs[rank] = isLeaseValid(rank, nowNs) ? nowNs : renewedNs[rank];
            }
        }
    }

    /** A wait begins: all ranks that take part have been heard of. */
    void beginSilence(final long nowNs)
    {
        for (int rank = 0; rank < peers.length; rank++)
        {
            heardNs[rank] = isActive[rank] ? nowNs : heardNs[rank];
        }
    }

    /** Look for signs of life of a rank. */
    void listen(final int rank, final long nowNs)
    {
        final long sign = read(words.alive(rank));
        if (sign != seenSigns[rank] && hasCome(rank, sign, 0))
        {
            seenSigns[rank] = sign;
            heardNs[rank] = nowNs;
        }
    }

    boolean isSilent(final int rank, final long nowNs)
    {
        return nowNs - heardNs[rank] >= shape.timeoutNs();
    }

    /** Whether ranks that are masked by now may still write where this one has granted it. */
    boolean isGrantOpen(final long nowNs)
    {
        boolean isAny = false;
        for (int rank = 0; rank < peers.length; rank++)
        {
            if (isGranted[rank] && !isActive[rank])
            {
                listen(rank, nowNs);
                isGranted[rank] = nowNs - Math.max(heardNs[rank], grantedNs) < shape.timeoutNs();
                isAny |= isGranted[rank];
            }
        }

        return isAny;
    }

    /** A rank may read answers from now on. */
    void beginReading(final int rank, final long nowNs)
    {
        isReading[rank] = true;
        readyNs = nowNs;
    }

    void endReading(final int rank)
    {
        isReading[rank] = false;
    }

    /** Whether a rank that this one was too late for may still read the answers that it was granted. */
    boolean isReading(final int rank, final long nowNs)
    {
        if (isReading[rank])
        {
            listen(rank, nowNs);
            isReading[rank] = nowNs - Math.max(heardNs[rank], readyNs) < shape.timeoutNs();
        }

        return isReading[rank];
    }

    void grant(final int rank)
    {
        isGranted[rank] = true;
    }

    void granted(final long nowNs)
    {
        grantedNs = nowNs;
    }

    /** A rank is done with what it was granted. */
    void endGrant(final int rank)
    {
        isGranted[rank] = false;
    }
}
