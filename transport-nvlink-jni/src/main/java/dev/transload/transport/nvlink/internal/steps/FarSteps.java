/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.steps;

import dev.transload.kernels.StepFifo;
import dev.transload.kernels.StepSendBlocks;
import dev.transload.kernels.StepSends;
import dev.transload.kernels.StepShape;
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
