/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.StepFifo;
import dev.transload.kernels.StepSendBlocks;
import dev.transload.kernels.StepSends;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepSlots;
import dev.transload.kernels.StepWords;
import dev.transload.spi.MemoryRegion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;

/**
 * Brings what a session has posted to its far ranks, as a transport would: what stands behind a fence comes last, all
 * else of a rank in any order. What an entry names is read when the entry is taken, or when it is brought.
 */
final class StepPosts
{
    private final StepsFixture fixture;
    private final StepShape shape;
    private final StepWords words;
    private final StepSlots slots;
    private final StepSends sends;
    private final StepSendBlocks blocks;
    private final StepFifo fifo;
    private final List<ArrayDeque<Post>> posts = new ArrayList<>();
    private boolean isTakenAtOnce;
    private boolean isKept;
    private int left;
    private int signs;
    private int others;

    /** One put; {@code read} is what was read when the entry was taken, or null. */
    private record Post(
        boolean isFenced, MemoryRegion source, long from, boolean isControl, long to, int bytes, byte[] read)
    {
    }

    StepPosts(
        final StepsFixture fixture, final StepShape shape, final StepSends sends, final StepSendBlocks blocks,
        final StepFifo fifo)
    {
        this.fixture = fixture;
        this.shape = shape;
        this.words = new StepWords(shape);
        this.slots = new StepSlots(shape);
        this.sends = sends;
        this.blocks = blocks;
        this.fifo = fifo;
        for (int rank = 0; rank < shape.ranks(); rank++)
        {
            posts.add(new ArrayDeque<>());
        }
    }

    /** From now on entries are taken as soon as they show, and what they name is read at once. */
    void takeAtOnce()
    {
        isTakenAtOnce = true;
    }

    /** Whether what was brought is not released, though nobody reads it any more. */
    void keep(final boolean isToBeKept)
    {
        isKept = isToBeKept;
    }

    /** Entries that were taken and are signs of life. */
    int signs()
    {
        return signs;
    }

    /** Entries that were taken and are none. */
    int others()
    {
        return others;
    }

    boolean bring(final IntFunction<StepRank> far, final Random random)
    {
        while (fifo.hasNext() && (isTakenAtOnce || 0 != random.nextInt(4)))
        {
            take(isTakenAtOnce || random.nextBoolean());
        }

        boolean isMoving = false;
        for (int rank = 0; rank < posts.size(); rank++)
        {
            for (int i = random.nextInt(4); i > 0 && !posts.get(rank).isEmpty(); i--)
            {
                put(next(posts.get(rank), random), far.apply(rank));
                left--;
                isMoving = true;
            }
        }

        if (0 == left && !isKept)
        {
            fifo.release(fifo.taken());
        }

        return isMoving || fifo.hasNext();
    }

    /** The first one, or one that no fence holds back. */
    private static Post next(final ArrayDeque<Post> of, final Random random)
    {
        final List<Post> free = new ArrayList<>();
        for (final Post post : of)
        {
            if (post.isFenced())
            {
                break;
            }

            free.add(post);
        }

        final Post next = free.isEmpty() ? of.peek() : free.get(random.nextInt(free.size()));
        of.remove(next);
        return next;
    }

    private void put(final Post post, final StepRank target)
    {
        fixture.write(post.isControl() ? target.farWords : target.farSlots, post.to(),
            null != post.read() ? post.read() : fixture.read(post.source(), post.from(), post.bytes()));
    }

    private void take(final boolean isRead)
    {
        final int rank = fifo.farRank();
        final int call = fifo.parity();
        final int first = fifo.first();
        final int count = fifo.count();
        final int own = shape.ownRank();
        switch (fifo.kind())
        {
            case StepFifo.COUNTS ->
            {
                for (int local = first; local < first + count; local++)
                {
                    word(rank, isRead, false, sends.counts(call, rank, local), words.counts(call, own, local));
                }
            }
            case StepFifo.HEADERS -> add(rank, isRead, new Post(false, blocks.control(),
                sends.header(call, rank, first), true, slots.header(call, own, first), count * slots.headerBytes(),
                null));
            case StepFifo.ROWS ->
            {
                for (int slot = first; slot < first + count; slot++)
                {
                    add(rank, isRead, new Post(false, blocks.rows(), sends.row(call, rank, slot), false,
                        slots.row(call, own, slot), fifo.rowBytes(), null));
                }
            }
            case StepFifo.ANSWERS ->
            {
                for (int answer = first; answer < first + count; answer++)
                {
                    add(rank, isRead, new Post(false, blocks.rows(), sends.answer(call, rank, answer), false,
                        slots.answer(call, own, answer), fifo.rowBytes(), null));
                }
            }
            case StepFifo.ROWS_TOLD ->
                word(rank, isRead, true, sends.landed(call, rank, first), words.landed(call, own, first));
            case StepFifo.ANSWERS_TOLD ->
                word(rank, isRead, true, sends.answered(call, rank, first), words.answered(call, own, first));
            default -> word(rank, isRead, false, sends.alive(rank), words.alive(own));
        }

        assertTrue(fifo.kind() >= StepFifo.COUNTS && fifo.kind() <= StepFifo.ALIVE, "kind " + fifo.kind());
        if (StepFifo.ALIVE == fifo.kind())
        {
            signs++;
        }
        else
        {
            others++;
        }

        fifo.take();
    }

    private void word(
        final int rank, final boolean isRead, final boolean isFenced, final long from, final long to)
    {
        add(rank, isRead, new Post(isFenced, blocks.control(), from, true, to, StepWords.WORD_BYTES, null));
    }

    private void add(final int rank, final boolean isRead, final Post post)
    {
        posts.get(rank).add(!isRead ? post : new Post(post.isFenced(), post.source(), post.from(), post.isControl(),
            post.to(), post.bytes(), fixture.read(post.source(), post.from(), post.bytes())));
        left++;
    }
}
