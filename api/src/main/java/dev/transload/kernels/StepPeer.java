/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryRegion;

/**
 * One rank as another one reaches it. Regions are windows to the memory of a near rank (rules WIN), the own regions for
 * the own rank. For a far one they are the own memory that it writes to, which is in host memory where rows are staged,
 * or null where that is the memory of the own rank. They are used until the session closes, whether the rank lives or
 * not (rule STP-9).
 *
 * @param words    {@link StepMemory#wordsBytes()}.
 * @param slots    {@link StepMemory#slotsBytes()}, null where there are none.
 * @param farIndex −1 for a near rank, else its number among far ranks, as the FIFO names it, from 0.
 */
public record StepPeer(MemoryRegion words, MemoryRegion slots, int farIndex)
{
    /** Of a near rank. */
    public static final int NEAR = -1;

    /**
     * A rank within reach, or the own one.
     *
     * @param words region or window.
     * @param slots region or window, null where there are none.
     * @return peer.
     */
    public static StepPeer near(final MemoryRegion words, final MemoryRegion slots)
    {
        return new StepPeer(words, slots, NEAR);
    }

    /**
     * Whether rows travel by FIFO and transport.
     *
     * @return true for a far rank.
     */
    public boolean isFar()
    {
        return NEAR != farIndex;
    }
}
