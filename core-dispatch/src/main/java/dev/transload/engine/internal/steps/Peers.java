/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.StepFifo;
import dev.transload.kernels.StepOp;
import dev.transload.kernels.StepOutput;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepSendBlocks;
import dev.transload.kernels.StepSends;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepSlots;
import dev.transload.kernels.StepStatus;
import dev.transload.kernels.StepWords;
import dev.transload.spi.MemoryRegion;
import java.util.List;
import org.agrona.BufferUtil;

/**
 * The ranks of a session: where their memory is, who takes part, and until when what they have granted holds. An owner
 * grants places in its output, and in a combine its answers. A rank uses them for half of a timeout from the
 * last moment at which it knew that nothing was granted, or gave a sign of life while the grant held (rule STP-6).
 */
final class Peers
{
    private static final int FIRST_GENERATION = 1;

    final int ownRank;
    final StepShape shape;
    final StepWords words;
    final StepSlots slots;
    /** Null where all ranks are near. */
    final StepSends sends;
    final StepSendBlocks blocks;
    final StepFifo fifo;
    final PeerNews news;
    private final StepStatus status;
    private final StepPeer[] peers;
    private final long[] wordsAt;
    /** By rank: own memory that it writes to. */
    private final long[] ownWordsAt;
    private final MemoryRegion[] ownSlots;
    private final long sendsAt;
    private long timeoutNs;
    private final int[] generations;
    private final boolean[] isActive;
    private final StepOutput[][] outputs;
    private final OwnOutput[] ownOutputs = new OwnOutput[StepWords.MAX_TENSORS];
    private final OwnOutput ofOnePiece = new OwnOutput();
    private final MemoryRegion[][] answers;
    private final long[][] answersAt;
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

    Peers(
        final StepShape shape, final List<StepPeer> given, final List<StepPeer> own, final StepSendBlocks blocks,
        final PeerNews news, final StepStatus status)
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
        this.slots = new StepSlots(shape);
        this.timeoutNs = shape.timeoutNs();
        final int far = (int)given.stream().filter(StepPeer::isFar).count();
        this.sends = 0 == far ? null : new StepSends(shape, far);
        this.blocks = blocks;
        this.sendsAt = 0 == far ? 0 : blocks.control().address();
        this.fifo = 0 == far ? null : new StepFifo(
            BufferUtil.allocateDirectAligned(StepFifo.BYTES, StepFifo.ENTRY_BYTES));
        this.status = status;
        this.news = news;
        this.peers = new StepPeer[ranks];
        this.wordsAt = new long[ranks];
        this.ownWordsAt = new long[ranks];
        this.ownSlots = new MemoryRegion[ranks];
        this.generations = new int[ranks];
        this.isActive = new boolean[ranks];
        this.outputs = new StepOutput[ranks][StepWords.MAX_TENSORS];
        this.answers = new MemoryRegion[ranks][StepWords.MAX_TENSORS];
        this.answersAt = new long[ranks][StepWords.MAX_TENSORS];
        this.notGrantedNs = new long[ranks];
        this.isGranted = new boolean[ranks];
        this.isReading = new boolean[ranks];
        this.renewedNs = new long[ranks];
        this.heardNs = new long[ranks];
        this.seenSigns = new long[ranks];
        for (int rank = 0; rank < ranks; rank++)
        {
            ownWordsAt[rank] = own.get(rank).words().address();
            ownSlots[rank] = own.get(rank).slots();
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

    boolean isAnyFarActive()
    {
        boolean isAny = false;
        for (int rank = 0; rank < peers.length; rank++)
        {
            isAny |= isActive[rank] && isFar(rank);
        }

        return isAny;
    }

    /** Nobody takes what is posted. */
    void maskFar()
    {
        for (int rank = 0; rank < peers.length; rank++)
        {
            if (isFar(rank))
            {
                mask(rank, StepStatus.SILENT, StepOp.BUCKET);
            }
        }
    }

    /** Of a pair with another rank, or of the own rank with itself. */
    int generation(final int rank)
    {
        return generations[rank];
    }

    /** Address of a header in the own memory. */
    long header(final long call, final int writer, final int slot)
    {
        return ownWordsAt[writer] + slots.header(call, writer, slot);
    }

    /** Own slots that a rank writes. */
    MemoryRegion ownSlots(final int writer)
    {
        return ownSlots[writer];
    }

    /** Address of a header for a rank: in its memory, or where the FIFO takes it from. */
    long headerFor(final long call, final int rank, final int slot)
    {
        return isFar(rank) ? sendsAt + sends.header(call, peers[rank].farIndex(), slot) :
            wordsAt[rank] + slots.header(call, ownRank, slot);
    }

    /** Where rows and answers for the slots of a rank are written. */
    MemoryRegion slotsFor(final int rank)
    {
        return isFar(rank) ? blocks.rows() : peers[rank].slots();
    }

    long rowsFor(final long call, final int rank)
    {
        return isFar(rank) ? sends.row(call, peers[rank].farIndex(), 0) : slots.row(call, ownRank, 0);
    }

    long answersFor(final long call, final int rank)
    {
        return isFar(rank) ? sends.answer(call, peers[rank].farIndex(), 0) : slots.answer(call, ownRank, 0);
    }

    /** Tell a near rank. */
    void tell(final int rank, final long offset, final long call, final int value)
    {
        Words.store(wordsAt[rank] + offset, StepWords.word(generations[rank], call, value));
    }

    /** Write a word that the FIFO takes to a far rank. */
    void write(final int rank, final long offset, final long call, final int value)
    {
        Words.store(sendsAt + offset, StepWords.word(generations[rank], call, value));
    }

    /** Post for a far rank, behind all that was written for it. */
    void post(final int rank, final int kind, final long call, final int first, final int count)
    {
        fifo.post(peers[rank].farIndex(), kind, call, first, count, Integer.BYTES);
    }

    /** The same for rows or answers. */
    void postRows(
        final int rank, final int kind, final long call, final int first, final int count, final long rowBytes)
    {
        fifo.post(peers[rank].farIndex(), kind, call, first, count, (int)rowBytes);
    }

    /** A word in the own memory that a rank has stored. */
    long read(final int rank, final long offset)
    {
        return Words.load(ownWordsAt[rank] + offset);
    }

    long timeoutNs()
    {
        return timeoutNs;
    }

    void timeoutNs(final long ns)
    {
        timeoutNs = ns;
    }

    boolean hasCome(final int rank, final long word, final long call)
    {
        return StepWords.isOf(word, generations[rank], call);
    }

    void output(final int rank, final int number, final StepOutput output)
    {
        outputs[rank][number] = output;
    }

    /** Parts of an own output that lie apart. */
    void ownOutput(final int number, final OwnOutput output)
    {
        ownOutputs[number] = output;
    }

    boolean hasOwnOutput(final int number)
    {
        return null != ownOutputs[number] || null != outputs[ownRank][number];
    }

    OwnOutput ownOutput(final int number, final Call call)
    {
        return null == ownOutputs[number] ? ofOnePiece.set(outputs[ownRank][number], call) : ownOutputs[number];
    }

    StepOutput output(final int rank, final int number)
    {
        return outputs[rank][number];
    }

    void answers(final int rank, final int number, final MemoryRegion region, final long offset)
    {
        answers[rank][number] = region;
        answersAt[rank][number] = offset;
    }

    long answersAt(final int rank, final int number)
    {
        return answersAt[rank][number];
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
            nowNs - notGrantedNs[rank] < (StepShape.LONGEST_WAIT - 1) * timeoutNs)
        {
            return false;
        }

        mask(rank, StepStatus.LATE, wait);
        return true;
    }

    private boolean isLeaseValid(final int rank, final long nowNs)
    {
        return nowNs - renewedNs[rank] < timeoutNs / 2;
    }

    /** Tell ranks that this one lives, where it has not done so for long: they wait on, and their grants hold on. */
    void giveSigns(final long nowNs)
    {
        if (nowNs - signedNs < timeoutNs / StepShape.SIGNS_A_TIMEOUT)
        {
            return;
        }

        signedNs = nowNs;
        signs++;
        for (int rank = 0; rank < peers.length; rank++)
        {
            if (isActive[rank])
            {
                giveSign(rank);
                renewedNs[rank] = isLeaseValid(rank, nowNs) ? nowNs : renewedNs[rank];
            }
        }
    }

    /** Where the FIFO is not drained, far ranks have to do without. */
    private void giveSign(final int rank)
    {
        if (!isFar(rank))
        {
            tell(rank, words.alive(ownRank), 0, signs);
        }
        else if (fifo.room() > StepFifo.CAPACITY / 2)
        {
            write(rank, sends.alive(peers[rank].farIndex()), 0, signs);
            post(rank, StepFifo.ALIVE, 0, 0, 0);
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
        final long sign = read(rank, words.alive(rank));
        if (sign != seenSigns[rank] && hasCome(rank, sign, 0))
        {
            seenSigns[rank] = sign;
            heardNs[rank] = nowNs;
        }
    }

    boolean isSilent(final int rank, final long nowNs)
    {
        return nowNs - heardNs[rank] >= timeoutNs;
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
                isGranted[rank] = nowNs - Math.max(heardNs[rank], grantedNs) < timeoutNs;
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
            isReading[rank] = nowNs - Math.max(heardNs[rank], readyNs) < timeoutNs;
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
