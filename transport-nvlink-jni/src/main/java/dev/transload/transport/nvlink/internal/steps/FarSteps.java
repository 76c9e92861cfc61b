/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.steps;

import dev.transload.kernels.StepFifo;
import dev.transload.kernels.StepSendBlocks;
import dev.transload.kernels.StepSends;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepSlots;
import dev.transload.kernels.StepWords;
import dev.transload.spi.MemoryRegion;
import dev.transload.transport.base.AddressView;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.PinnedMemory;

import java.nio.ByteBuffer;

/** What a session has for far ranks: send blocks, and the FIFO in page-locked memory that the device fills. */
final class FarSteps implements AutoCloseable
{
    private static final int ROW_ALIGNMENT = 16;

    private final StepSends sends;
    private final StepSendBlocks blocks;
    private final PinnedMemory pinned;
    private final StepFifo fifo;

    /**
     * Of a session.
     *
     * @param device that writes.
     * @param shape  of the session.
     * @param ranks  number of far ranks.
     * @param blocks of the session, page-locked where they are in host memory.
     */
    FarSteps(final CudaDevice device, final StepShape shape, final int ranks, final StepSendBlocks blocks)
    {
        if (null == blocks)
        {
            throw new IllegalArgumentException("sends = null is not allowed: there are " + ranks + " far ranks");
        }

        this.sends = new StepSends(shape, ranks);
        this.blocks = blocks;
        require("control", blocks.control(), sends.controlBytes(), StepWords.WORD_BYTES);
        require("rows", blocks.rows(), sends.rowsBytes(), ROW_ALIGNMENT);
        requireRoom(shape, ranks);
        this.pinned = device.allocatePinned(StepFifo.BYTES);
        final ByteBuffer ring = AddressView.of(pinned.address(), StepFifo.BYTES);
        for (int at = 0; at < StepFifo.BYTES; at += Long.BYTES)
        {
            ring.putLong(at, 0);
        }

        this.fifo = new StepFifo(ring);
    }

    private static void require(
        final String name, final MemoryRegion region, final long bytes, final int alignment)
    {
        if (region.length() < bytes || 0 != region.address() % alignment)
        {
            throw new IllegalArgumentException("sends." + name + " has " + region.length() + " bytes at " +
                region.address() + ": must have " + bytes + ", at a multiple of " + alignment);
        }
    }

    /** Half of the ring is for what a step posts, the other one for signs of life that nobody has taken yet. */
    private static void requireRoom(final StepShape shape, final int ranks)
    {
        final StepSlots slots = new StepSlots(shape);
        final int rows = 1 + 3 * slots.rowChunks(shape.maxTokens());
        final int answers = 2 * slots.answerChunks(
            shape.maxTokens() * Math.min(shape.maxTopk(), shape.localExperts()));
        final int most = StepFifo.CAPACITY / 2 / Math.max(rows, answers);
        if (ranks > most)
        {
            throw new IllegalArgumentException("far ranks = " + ranks + " is not allowed: posts of at most " + most +
                " with " + shape.maxTokens() + " tokens fit into the ring of " + StepFifo.CAPACITY);
        }
    }

    StepSends sends()
    {
        return sends;
    }

    long control()
    {
        return blocks.control().address();
    }

    long rows()
    {
        return blocks.rows().address();
    }

    long ring()
    {
        return pinned.address();
    }

    long released()
    {
        return pinned.address() + StepFifo.RELEASED_OFFSET;
    }

    StepFifo fifo()
    {
        return fifo;
    }

    /** No step is under way any more. */
    @Override
    public void close()
    {
        pinned.close();
    }
}
