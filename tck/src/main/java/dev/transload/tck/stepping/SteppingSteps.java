/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.StepKernels;
import dev.transload.kernels.StepMemory;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepSendBlocks;
import dev.transload.kernels.StepSession;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepSlots;
import dev.transload.spi.MemoryKind;
import java.util.List;
import java.util.function.LongSupplier;

/** Steps whose words, pieces of rows and primitives are each a step of the fabric. */
final class SteppingSteps implements StepKernels
{
    private static final int BLOCKS = 8;

    private final SteppingFabric fabric;
    private final int rank;
    private final MemoryKind kind;
    private final LongSupplier clock;

    SteppingSteps(final SteppingFabric fabric, final int rank, final MemoryKind kind, final LongSupplier clock)
    {
        this.fabric = fabric;
        this.rank = rank;
        this.kind = kind;
        this.clock = clock;
    }

    @Override
    public StepMemory memory(final StepShape shape)
    {
        final StepSlots slots = new StepSlots(shape);
        return new StepMemory(kind, slots.controlBytes(), slots.bytes());
    }

    @Override
    public String device()
    {
        return "fabric of rank " + rank;
    }

    @Override
    public int mostBlocks(final int sessions)
    {
        return BLOCKS;
    }

    @Override
    public String refusal(final StepShape shape, final int farRanks)
    {
        return 0 == farRanks ? null : "the stepping fabric's steps reach near ranks only";
    }

    @Override
    public StepSession open(final StepShape shape, final List<StepPeer> peers, final StepSendBlocks sends)
    {
        if (shape.ownRank() != rank || shape.ranks() != peers.size())
        {
            throw new IllegalArgumentException("a session of rank " + rank + " was opened with " + peers.size() +
                " peers as rank " + shape.ownRank() + " of " + shape.ranks());
        }

        return new SteppingSession(fabric, shape, peers, clock);
    }
}
