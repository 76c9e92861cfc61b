/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.link;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;

/**
 * One kind of bytes of a ring's rows (payload, scales or metadata): where they come from, where they go, and a list of
 * offsets as long as the ring, entry = slot. An entry is rewritten only when its slot is, so lists are never copied.
 */
public final class RowSet
{
    private final RowList rows;
    private final RemoteRegion target;
    private MemoryRegion source;
    private boolean isUsed;

    /**
     * For a ring at a peer.
     *
     * @param rows   with one entry a slot.
     * @param target region of the ring.
     */
    public RowSet(final RowList rows, final RemoteRegion target)
    {
        this.rows = rows;
        this.target = target;
    }

    /**
     * Choose what the next chunk's rows are.
     *
     * @param region    they come from.
     * @param rowLength bytes of each, 0 to leave this set out.
     */
    public void use(final MemoryRegion region, final int rowLength)
    {
        source = region;
        isUsed = rowLength > 0;
        rows.rowLength(rowLength);
    }

    /**
     * Set a slot's offsets.
     *
     * @param slot      of the ring.
     * @param srcOffset in the source region.
     * @param dstOffset in the target region.
     */
    public void set(final int slot, final long srcOffset, final long dstOffset)
    {
        rows.set(slot, srcOffset, dstOffset);
    }

    boolean isUsed()
    {
        return isUsed;
    }

    RowList rows()
    {
        return rows;
    }

    MemoryRegion source()
    {
        return source;
    }

    RemoteRegion target()
    {
        return target;
    }
}
