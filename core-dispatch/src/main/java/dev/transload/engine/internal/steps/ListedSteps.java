/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.StepKernels;
import dev.transload.kernels.StepMemory;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepSendBlocks;
import dev.transload.kernels.StepSession;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepSlots;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.agrona.concurrent.NanoClock;

/**
 * Steps by a thread of this process, as lists for row kernels. Words, and all that arguments name beside rows, lie in
 * host memory.
 */
public final class ListedSteps implements StepKernels
{
    private final RowKernels kernels;
    private final LongFunction<MemoryRegion> scratch;
    private final Consumer<MemoryRegion> acquire;
    private final NanoClock clock;

    /**
     * Over row kernels.
     *
     * @param kernels of the rows' kind, used by the thread that drives the sessions.
     * @param scratch gives memory of the rows' kind, which stays the giver's to close.
     * @param acquire makes what peers have stored in a region visible to these kernels, as {@code Worker.acquire}.
     * @param clock   of waits.
     */
    public ListedSteps(
        final RowKernels kernels, final LongFunction<MemoryRegion> scratch, final Consumer<MemoryRegion> acquire,
        final NanoClock clock)
    {
        this.kernels = kernels;
        this.scratch = scratch;
        this.acquire = acquire;
        this.clock = clock;
    }

    @Override
    public StepMemory memory(final StepShape shape)
    {
        final StepSlots slots = new StepSlots(shape);
        return new StepMemory(MemoryKind.HOST, slots.controlBytes(), slots.bytes());
    }

    @Override
    public String device()
    {
        return "thread";
    }

    @Override
    public int mostBlocks(final int sessions)
    {
        return 1;
    }

    @Override
    public String refusal(final StepShape shape, final int farRanks)
    {
        return null;
    }

    @Override
    public StepSession open(final StepShape shape, final List<StepPeer> peers, final StepSendBlocks sends)
    {
        return open(shape, peers, Collections.nCopies(peers.size(), peers.get(shape.ownRank())), sends, PeerNews.NONE);
    }

    /**
     * Open a session of a rank that others write to by several transports.
     *
     * @param shape of the session.
     * @param peers by rank, the own one too.
     * @param own   by rank: own memory that it writes to.
     * @param sends what is written for far ranks; null where there are none.
     * @param news  of ranks.
     * @return session.
     */
    public ListedSession open(
        final StepShape shape, final List<StepPeer> peers, final List<StepPeer> own, final StepSendBlocks sends,
        final PeerNews news)
    {
        if (null == sends && peers.stream().anyMatch(StepPeer::isFar))
        {
            throw new IllegalArgumentException("a rank is far, and there are no send blocks");
        }

        final StepSlots slots = new StepSlots(shape);
        return new ListedSession(shape, peers, own, sends, kernels,
            scratch.apply(shape.maxTokens() * slots.rowStride()), acquire, news, clock);
    }
}
