/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryRegion;

/**
 * Memory through which a session reaches one rank. For a near rank, the regions are windows to the memory of that rank
 * (rules WIN). For this rank itself, the regions are its own. For a far rank, the regions are memory of this rank to
 * which the far rank writes. They are in host memory if rows are staged. For a far rank, {@code words} or {@code slots}
 * may be null: the far rank then writes to the {@code words} or {@code slots} of the {@code StepPeer} that stands for
 * this rank itself. The session uses the regions until the session closes, even if the rank has failed (rule STP-9).
 *
 * @param words    region of {@link StepMemory#wordsBytes()} bytes.
 * @param slots    region of {@link StepMemory#slotsBytes()} bytes, null for a near rank or this rank itself if there
 *                 are no slots.
 * @param farIndex {@link #NEAR} for a near rank and for this rank itself. For a far rank, its number among the far
 *                 ranks, counted from 0, which entries of {@link StepFifo} contain.
 */
public record StepPeer(MemoryRegion words, MemoryRegion slots, int farIndex)
{
    /** Value of {@code farIndex} for a near rank. */
    public static final int NEAR = -1;

    /**
     * Creates the peer for a near rank, or for this rank itself.
     *
     * @param words region of the words, or a window to it.
     * @param slots region of the slots, or a window to it; null if there are no slots.
     * @return peer.
     */
    public static StepPeer near(final MemoryRegion words, final MemoryRegion slots)
    {
        return new StepPeer(words, slots, NEAR);
    }

    /**
     * Returns whether rows are sent to the rank through the FIFO and a transport.
     *
     * @return true for a far rank.
     */
    public boolean isFar()
    {
        return NEAR != farIndex;
    }
}
