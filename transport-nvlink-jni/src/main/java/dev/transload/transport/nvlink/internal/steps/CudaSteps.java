/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.steps;

import dev.transload.kernels.Fp8;
import dev.transload.kernels.StepKernels;
import dev.transload.kernels.StepMemory;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepSendBlocks;
import dev.transload.kernels.StepSession;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepSlots;
import dev.transload.kernels.StepWords;
import dev.transload.spi.MemoryKind;
import dev.transload.transport.nvlink.cuda.CudaDevice;

import java.util.List;

/** Steps of one GPU, among ranks whose memory it reaches. */
public final class CudaSteps implements StepKernels
{
    /** Of {@code tl_step_state.cuh}: how much of a session one block keeps in its shared memory. */
    private static final int MAX_RANKS = 128;
    private static final int MAX_EXPERTS = 2048;
    private static final int MAX_HIDDEN = 1024 * Fp8.GROUP;

    private final CudaDevice device;
    private final long timeoutNs;
    private int sessions;

    /**
     * Without sessions.
     *
     * @param device    that does them.
     * @param timeoutNs after which work that stands still counts as failed, unless steps may take longer.
     */
    public CudaSteps(final CudaDevice device, final long timeoutNs)
    {
        this.device = device;
        this.timeoutNs = timeoutNs;
    }

    @Override
    public StepMemory memory(final StepShape shape)
    {
        final StepSlots slots = new StepSlots(shape);
        return new StepMemory(MemoryKind.CUDA, slots.controlBytes(), slots.bytes());
    }

    /** {@inheritDoc} Blocks of all ranks and lanes that share the device must leave room for one of each rank. */
    @Override
    public StepSession open(final StepShape shape, final List<StepPeer> peers, final StepSendBlocks sends)
    {
        atMost("ranks", shape.ranks(), MAX_RANKS);
        atMost("ranks of local experts", (long)shape.ranks() * shape.localExperts(), MAX_EXPERTS);
        atMost("maxHidden", shape.maxHidden(), MAX_HIDDEN);
        if (peers.size() != shape.ranks())
        {
            throw new IllegalArgumentException("peers are " + peers.size() + ": must be one for each of " +
                shape.ranks() + " ranks");
        }

        int sharers = 0;
        for (int rank = 0; rank < peers.size(); rank++)
        {
            if (peers.get(rank).isFar())
            {
                throw new IllegalArgumentException(
                    "rank " + rank + " is far, which is not allowed: steps of a GPU reach near ranks only");
            }

            requireCuda("words of rank " + rank, peers.get(rank).words().kind(), StepWords.WORD_BYTES,
                peers.get(rank).words().address());
            sharers += peers.get(rank).words().device() == device.ordinal() ? 1 : 0;
        }

        requireRoom(shape.blocks(), sharers);
        final StepSession session =
            new CudaStepSession(device, shape, peers, timeoutNs, () -> sessions--);
        sessions++;
        return session;
    }

    /** Blocks that wait stay where they are; those of one rank that they wait for need a multiprocessor, too. */
    private void requireRoom(final int blocks, final int sharers)
    {
        final int sms = device.attribute(CudaDevice.MULTIPROCESSOR_COUNT);
        final int lanes = sessions + 1;
        final long others = (long)sharers * lanes - 1;
        if (blocks > sms || others * blocks >= sms)
        {
            throw new IllegalArgumentException("blocks = " + blocks + " is not allowed: " + sharers + " ranks of " +
                lanes + " lanes share " + device.describe() + " with " + sms + " multiprocessors, where at most " +
                Math.min(sms, others > 0 ? (sms - 1) / others : sms) + " leave room for all");
        }
    }

    private static void atMost(final String name, final long value, final long most)
    {
        if (value > most)
        {
            throw new IllegalArgumentException(
                name + " = " + value + " is not allowed: steps of a GPU have at most " + most);
        }
    }

    static void requireCuda(final String name, final MemoryKind kind, final int alignment, final long address)
    {
        if (!MemoryKind.CUDA.equals(kind) || 0 != address % alignment)
        {
            throw new IllegalArgumentException(name + " is in " + kind + " memory at " + address +
                ": must be in CUDA memory, at a multiple of " + alignment);
        }
    }
}
