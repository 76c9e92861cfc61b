/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.StepFifo;
import dev.transload.spi.MemoryRegion;

/**
 * SEND_FAR of a combine: answers to the rows of far ranks, or of all others, to slots of this rank at their homes; in
 * the order in which a home meets its selections, which is that of its rows and of their places.
 */
final class SendAnswers implements Primitive
{
    private static final long NOT_SUBMITTED = -1;

    private final Parts parts;
    private final Peers peers;
    private final Call call;
    private final Starts starts;
    private final Await done;
    private final boolean isToAll;
    private final RowTable table;
    private final RowScatter scatter;
    /** By home: answers. */
    private final int[] count;
    private long position;

    SendAnswers(final Parts parts, final Starts starts, final Await done, final boolean isToAll)
    {
        this.parts = parts;
        this.peers = parts.peers();
        this.call = parts.call();
        this.starts = starts;
        this.done = done;
        this.isToAll = isToAll;
        final int answers = peers.ranks() * call.shape.maxTokens() *
            Math.min(call.shape.maxTopk(), call.shape.localExperts());
        this.table = parts.kernels().allocateTable(answers, answers);
        this.scatter = new RowScatter(peers.ranks());
        this.count = new int[peers.ranks()];
    }

    @Override
    public void begin(final long nowNs)
    {
        final int number = parts.arguments().answers();
        final MemoryRegion answers = peers.answers(peers.ownRank, number);
        if (null == answers)
        {
            throw new IllegalStateException("answers tensor " + number + " was not given");
        }

        table.clear();
        for (int home = 0; home < peers.ranks(); home++)
        {
            count[home] = 0;
            if (isServed(home))
            {
                list(home);
            }

            scatter.target(home, count[home] > 0 ? peers.slotsFor(home) : null, peers.answersFor(call.number, home),
                parts.slots().answerStride());
        }

        scatter.source(answers, peers.answersAt(peers.ownRank, number), call.bf16Bytes(), (int)call.bf16Bytes())
            .scales(null, 0, 0, 0);
        position = NOT_SUBMITTED;
    }

    private boolean isServed(final int home)
    {
        return home != peers.ownRank && peers.isActive(home) && (isToAll || peers.isFar(home));
    }

    private void list(final int home)
    {
        for (int slot = 0; slot < done.value(home); slot++)
        {
            final long header = peers.header(call.number, home, slot);
            for (int i = 0; i < Headers.places(header); i++)
            {
                final int local = Headers.local(header, i);
                table.beginRow(local * call.shape.expertRows() + starts.start(home, local) + Headers.slot(header, i));
                table.add(home, count[home]);
                count[home]++;
            }
        }
    }

    @Override
    public boolean isDone(final long nowNs)
    {
        if (position < 0)
        {
            position = parts.kernels().scatterRows(scatter, table, 0, table.rows());
        }

        if (position < 0 || parts.kernels().completedPosition() < position)
        {
            return false;
        }

        for (int home = 0; home < peers.ranks(); home++)
        {
            if (isServed(home) && peers.isFar(home))
            {
                post(home);
            }
        }

        return true;
    }

    private void post(final int home)
    {
        final int each = peers.slots.chunkAnswers();
        for (int chunk = 0; chunk < peers.slots.answerChunks(count[home]); chunk++)
        {
            final int first = chunk * each;
            if (count[home] > first)
            {
                peers.postRows(home, StepFifo.ANSWERS, call.number, first, Math.min(each, count[home] - first),
                    call.bf16Bytes());
            }

            peers.write(home, peers.sends.answered(call.number, peers.peer(home).farIndex(), chunk), call.number, 0);
            peers.post(home, StepFifo.ANSWERS_TOLD, call.number, chunk, 0);
        }
    }

    /** Answers to a rank. */
    int count(final int home)
    {
        return count[home];
    }
}
