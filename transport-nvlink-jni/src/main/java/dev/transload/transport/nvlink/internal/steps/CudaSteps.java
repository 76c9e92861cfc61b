/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.steps;

import dev.transload.kernels.Fp8;
import dev.transload.kernels.StepKernels;
import dev.transload.kernels.StepMemory;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepSendBlocks;
import dev.transload.kernels.StepSends;
import dev.transload.kernels.StepSession;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepSlots;
import dev.transload.kernels.StepWords;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.transport.nvlink.cuda.CudaDevice;

import java.util.List;

/**
 * Steps of one GPU among near ranks, whose memory it reaches, and far ones, for which it writes send blocks: in its own
 * memory, or in page-locked host memory.
 */
public final class CudaSteps implements StepKernels
{
    /** Of {@code tl_step_state.cuh}: how much of a session one block keeps in its shared memory. */
    private static final int MAX_RANKS = 128;
    private static final int MAX_EXPERTS = 2048;
    private static final int MAX_HIDDEN = 1024 * Fp8.GROUP;

    /** Host memory that the device reads. */
    @FunctionalInterface
    public interface HostAccess
    {
        /**
         * Have the device reach a region.
         *
         * @param name   of the argument.
         * @param region of HOST memory.
         * @return address of the first byte, for the device too.
         */
        long of(String name, MemoryRegion region);
    }

    private final CudaDevice device;
    private final long timeoutNs;
    private final HostAccess hosts;
    private int sessions;

    /**
     * Without sessions.
     *
     * @param device    that does them.
     * @param timeoutNs after which stalled work counts as failed, unless steps may take longer.
     * @param hosts     makes host memory that arguments name one of the device's.
     */
    public CudaSteps(final CudaDevice device, final long timeoutNs, final HostAccess hosts)
    {
        this.hosts = hosts;
        this.device = device;
        this.timeoutNs = timeoutNs;
    }

    @Override
    public StepMemory memory(final StepShape shape)
    {
        final StepSlots slots = new StepSlots(shape);
        return new StepMemory(MemoryKind.CUDA, slots.controlBytes(), slots.bytes());
    }

    @Override
    public String device()
    {
        return device.uuid().toString();
    }

    @Override
    public int mostBlocks(final int sessions)
    {
        final int sms = device.attribute(CudaDevice.MULTIPROCESSOR_COUNT);
        return sessions > 1 ? (sms - 1) / (sessions - 1) : sms;
    }

    @Override
    public String refusal(final StepShape shape, final int farRanks)
    {
        final String ranks = excess("ranks", shape.ranks(), MAX_RANKS);
        final String experts =
            excess("ranks of local experts", (long)shape.ranks() * shape.localExperts(), MAX_EXPERTS);
        final String hidden = excess("maxHidden", shape.maxHidden(), MAX_HIDDEN);
        return null != ranks ? ranks : null != experts ? experts : null != hidden ? hidden :
            excess("far ranks", farRanks, StepSends.mostFarRanks(shape));
    }

    private static String excess(final String name, final long value, final long most)
    {
        return value <= most ? null :
            name + " = " + value + " is not allowed: steps of a GPU have at most " + most;
    }

    /** {@inheritDoc} Blocks of all ranks and lanes that share the device must leave room for one of each rank. */
    @Override
    public StepSession open(final StepShape shape, final List<StepPeer> peers, final StepSendBlocks sends)
    {
        final String refusal = refusal(shape, (int)peers.stream().filter(StepPeer::isFar).count());
        if (null != refusal)
        {
            throw new IllegalArgumentException(refusal);
        }

        if (peers.size() != shape.ranks())
        {
            throw new IllegalArgumentException("peers are " + peers.size() + ": must be one for each of " +
                shape.ranks() + " ranks");
        }

        int sharers = 0;
        int far = 0;
        for (int rank = 0; rank < peers.size(); rank++)
        {
            if (peers.get(rank).isFar())
            {
                far++;
                reach("words that rank " + rank + " writes", peers.get(rank).words());
                reach("slots that rank " + rank + " writes", peers.get(rank).slots());
                continue;
            }

            requireCuda("words of rank " + rank, peers.get(rank).words().kind(), StepWords.WORD_BYTES,
                peers.get(rank).words().address());
            sharers += peers.get(rank).words().device() == device.ordinal() ? 1 : 0;
        }

        if (null != sends)
        {
            reach("sends.control", sends.control());
            reach("sends.rows", sends.rows());
        }

        requireRoom(shape.blocks(), sharers);
        final StepSession session = new CudaStepSession(device, shape, peers, 0 == far ? null :
            new FarSteps(device, shape, far, sends), timeoutNs, hosts, () -> sessions--);
        sessions++;
        return session;
    }

    /** Host memory is made page-locked, and one of the device's. */
    private void reach(final String name, final MemoryRegion region)
    {
        if (null != region && region.kind().isHost())
        {
            hosts.of(name, region);
        }
    }

    private void requireRoom(final int blocks, final int sharers)
    {
        final int lanes = sessions + 1;
        final int most = mostBlocks(sharers * lanes);
        if (blocks > most)
        {
            throw new IllegalArgumentException("blocks = " + blocks + " is not allowed: " + sharers + " ranks of " +
                lanes + " lanes share " + device.describe() + " with " +
                device.attribute(CudaDevice.MULTIPROCESSOR_COUNT) + " multiprocessors, where at most " + most +
                " leave room for all");
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
