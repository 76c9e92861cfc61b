/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.TensorMemory;
import dev.transload.kernels.StepFifo;
import dev.transload.kernels.StepSends;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepSlots;
import dev.transload.kernels.StepWords;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import java.util.Arrays;

/**
 * Brings what a lane's steps post to far ranks: puts, and behind a fence the word that tells of them. Chunks are dealt
 * to channels. A far rank that takes nothing holds up no other one.
 */
final class FarPosts
{
    private static final int PARITIES = 2;

    private final StepFifo fifo;
    private final FarVerdict mask;
    private final Peer[] peers;
    private boolean isQuiet = true;

    /**
     * Of a lane.
     *
     * @param lane    number.
     * @param shape   shape of its session.
     * @param links   to far ranks, by their number.
     * @param fifo    FIFO of the session.
     * @param control own send block of words and headers.
     * @param rows    own send block of rows and answers.
     * @param mask    says who takes part, and is told who does not any more.
     */
    FarPosts(
        final int lane, final StepShape shape, final PeerLink[] links, final StepFifo fifo, final TensorMemory control,
        final TensorMemory rows, final FarVerdict mask)
    {
        this.fifo = fifo;
        this.mask = mask;
        this.peers = new Peer[links.length];
        final StepSends sends = new StepSends(shape, links.length);
        for (int far = 0; far < links.length; far++)
        {
            peers[far] = new Peer(far, lane, shape, sends, links[far], control, rows);
        }
    }

    /** A rank that does not take what there is for it within the timeout is masked. */
    int doWork(final long nowNs, final long timeoutNs)
    {
        int work = 0;
        while (fifo.hasNext() && peers[fifo.farRank()].take(nowNs))
        {
            fifo.take();
            isQuiet = false;
            work++;
        }

        if (isQuiet)
        {
            return work;
        }

        boolean isReleased = !fifo.hasNext();
        for (final Peer peer : peers)
        {
            work += peer.doWork(nowNs, timeoutNs);
            isReleased &= peer.isReleased();
        }

        if (isReleased)
        {
            fifo.release(fifo.taken());
        }

        isQuiet = isReleased;
        return work;
    }

    /** Whether all that was posted has arrived; asks for it. */
    boolean isDelivered(final long nowNs, final long timeoutNs)
    {
        boolean isDelivered = !fifo.hasNext();
        for (final Peer peer : peers)
        {
            isDelivered &= peer.isDelivered(nowNs, timeoutNs);
        }

        return isDelivered;
    }

    /** Whether nothing is under way to ranks that take part. */
    boolean isAtRest()
    {
        boolean isAtRest = !fifo.hasNext();
        for (final Peer peer : peers)
        {
            isAtRest &= !mask.isActive(peer.link.rank()) || peer.isReleased();
        }

        return isAtRest;
    }

    /** A far rank connects anew. */
    void reset(final int rank)
    {
        for (final Peer peer : peers)
        {
            if (rank == peer.link.rank())
            {
                peer.reset();
            }
        }
    }

    /** What goes to one far rank. */
    private final class Peer
    {
        /** More than a step posts for a rank, and signs of life. */
        private static final int ENTRIES = 512;
        /** Words of an entry here: kind and parity, first, count, bytes of a row. */
        private static final int WORDS = 4;

        private final int far;
        private final int lane;
        private final int ownRank;
        private final StepWords words;
        private final StepSlots slots;
        private final StepSends sends;
        private final PeerLink link;
        private final MemoryRegion control;
        private final MemoryRegion rows;
        private final RowList[] rowLists = new RowList[PARITIES];
        private final RowList[] answerLists = new RowList[PARITIES];
        private final int[] entries = new int[WORDS * ENTRIES];
        private final long[] ends;
        private final long[] flushes;
        private long taken;
        private long done;
        /** Parts of the first entry that were submitted. */
        private int parts;
        private boolean isFenced;
        private long movedNs;

        Peer(
            final int far, final int lane, final StepShape shape, final StepSends sends, final PeerLink link,
            final TensorMemory control, final TensorMemory rows)
        {
            this.far = far;
            this.lane = lane;
            this.ownRank = shape.ownRank();
            this.words = new StepWords(shape);
            this.slots = new StepSlots(shape);
            this.sends = sends;
            this.link = link;
            this.control = link.region(control);
            this.rows = link.region(rows);
            this.ends = new long[link.channels()];
            this.flushes = new long[link.channels()];
            final int answers = shape.maxTokens() * Math.min(shape.maxTopk(), shape.localExperts());
            for (int parity = 0; parity < PARITIES; parity++)
            {
                rowLists[parity] = link.allocateRows(shape.maxTokens());
                for (int slot = 0; slot < shape.maxTokens(); slot++)
                {
                    rowLists[parity].set(slot, sends.row(parity, far, slot), slots.row(parity, ownRank, slot));
                }

                answerLists[parity] = link.allocateRows(answers);
                for (int slot = 0; slot < answers; slot++)
                {
                    answerLists[parity].set(
                        slot, sends.answer(parity, far, slot), slots.answer(parity, ownRank, slot));
                }
            }
        }

        void reset()
        {
            drop();
            Arrays.fill(ends, 0);
            Arrays.fill(flushes, 0);
        }

        private void drop()
        {
            done = taken;
            parts = 0;
            isFenced = false;
        }

        boolean take(final long nowNs)
        {
            if (taken - done == ENTRIES)
            {
                return false;
            }

            movedNs = done == taken ? nowNs : movedNs;
            final int at = (int)(taken % ENTRIES) * WORDS;
            entries[at] = fifo.kind() << 1 | fifo.parity();
            entries[at + 1] = fifo.first();
            entries[at + 2] = fifo.count();
            entries[at + 3] = fifo.rowBytes();
            taken++;
            return true;
        }

        int doWork(final long nowNs, final long timeoutNs)
        {
            int work = 0;
            if (done < taken && mask.maskIfGone(link.rank()))
            {
                drop();
            }

            while (done < taken && step())
            {
                movedNs = nowNs;
                work++;
            }

            judge(done < taken, nowNs, timeoutNs);
            return work;
        }

        private void judge(final boolean isLeft, final long nowNs, final long timeoutNs)
        {
            if (isLeft && nowNs - movedNs >= timeoutNs)
            {
                mask.mask(link.rank(), "it did not take what was sent to it in time");
                drop();
            }
        }

        /**
         * One operation. No channel reads a list whose length changes: entries of a call are posted when those of the
         * one before are released.
         */
        private boolean step()
        {
            final int at = (int)(done % ENTRIES) * WORDS;
            final int kind = entries[at] >>> 1;
            final int parity = entries[at] & 1;
            final int first = entries[at + 1];
            final int count = entries[at + 2];
            final int rowBytes = entries[at + 3];
            return switch (kind)
            {
                case StepFifo.COUNTS -> word(0, sends.counts(parity, far, first + parts),
                    words.counts(parity, ownRank, first + parts), count);
                case StepFifo.HEADERS -> put(channelOf(first, slots.chunkRows()), control,
                    sends.header(parity, far, first), false, slots.header(parity, ownRank, first),
                    (long)count * slots.headerBytes());
                case StepFifo.ROWS -> putRows(channelOf(first, slots.chunkRows()),
                    rowLists[parity].rowLength(rowBytes), slots.rowStride(), first, count);
                case StepFifo.ANSWERS -> putRows(channelOf(first, slots.chunkAnswers()),
                    answerLists[parity].rowLength(rowBytes), slots.answerStride(), first, count);
                case StepFifo.ROWS_TOLD -> tell(first % ends.length, sends.landed(parity, far, first),
                    words.landed(parity, ownRank, first));
                case StepFifo.ANSWERS_TOLD -> tell(first % ends.length, sends.answered(parity, far, first),
                    words.answered(parity, ownRank, first));
                default -> word(0, sends.alive(far), words.alive(ownRank), 1);
            };
        }

        private int channelOf(final int first, final int each)
        {
            return first / each % ends.length;
        }

        /** One of several words, each by a put of its own. */
        private boolean word(final int channel, final long from, final long to, final int count)
        {
            if (!isAccepted(channel, link.channel(channel).put(
                control, from, link.words(lane), to, StepWords.WORD_BYTES)))
            {
                return false;
            }

            parts++;
            end(parts == count);
            return true;
        }

        private boolean put(
            final int channel, final MemoryRegion source, final long from, final boolean isOfSlots, final long to,
            final long bytes)
        {
            final boolean isTaken = isAccepted(channel, link.channel(channel).put(
                source, from, isOfSlots ? link.slots(lane) : link.words(lane), to, bytes));
            end(isTaken);
            return isTaken;
        }

        /** Contiguous rows by one put. */
        private boolean putRows(
            final int channel, final RowList list, final long stride, final int first, final int count)
        {
            if (list.rowLength() == stride)
            {
                return put(channel, rows, list.srcOffset(first), true, list.dstOffset(first), count * stride);
            }

            final Channel out = link.channel(channel);
            final long before = out.position();
            final long end = out.putRows(rows, link.slots(lane), list, first + parts, count - parts);
            if (!isAccepted(channel, end))
            {
                return false;
            }

            parts += (int)(end - before);
            end(parts == count);
            return true;
        }

        private boolean tell(final int channel, final long from, final long to)
        {
            if (!isFenced)
            {
                isFenced = isAccepted(channel, link.channel(channel).fence());
                return isFenced;
            }

            return word(channel, from, to, 1);
        }

        private boolean isAccepted(final int channel, final long status)
        {
            if (status >= 0)
            {
                ends[channel] = status;
            }

            return status >= 0;
        }

        private void end(final boolean isDone)
        {
            if (isDone)
            {
                done++;
                parts = 0;
                isFenced = false;
            }
        }

        /** Whether send blocks may be written again. */
        boolean isReleased()
        {
            boolean isReleased = done == taken;
            for (int channel = 0; channel < ends.length && isReleased && !link.isRevoked(); channel++)
            {
                isReleased = link.channel(channel).releasedPosition() >= ends[channel];
            }

            return isReleased;
        }

        boolean isDelivered(final long nowNs, final long timeoutNs)
        {
            boolean isDelivered = done == taken;
            for (int channel = 0; channel < ends.length && isDelivered && mask.isActive(link.rank()); channel++)
            {
                final Channel out = link.channel(channel);
                if (flushes[channel] < ends[channel] && isAccepted(channel, out.flush()))
                {
                    flushes[channel] = ends[channel];
                }

                isDelivered = flushes[channel] == ends[channel] && out.deliveredPosition() >= ends[channel] ||
                    mask.maskIfGone(link.rank());
            }

            judge(!isDelivered, nowNs, timeoutNs);
            return isDelivered;
        }
    }
}
