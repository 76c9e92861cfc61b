/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import java.util.ArrayList;
import java.util.List;

/**
 * Memory that was closed after a peer had been given up. Where no hardware checks keys, as over TCP, such a peer may
 * still have this process write to it, and to unmapped memory would take the process down: it stays mapped until
 * inbound operations are carried out no more. Memory that a caller registered is the caller's to keep.
 */
final class RetiredMemory
{
    private final List<UcxMemory> kept = new ArrayList<>();
    private boolean isKeeping;

    /** A peer has been given up. */
    synchronized void keepFromNowOn()
    {
        isKeeping = true;
    }

    /**
     * Take over memory that is closed.
     *
     * @param memory that UCX allocated.
     * @return false where it can go at once.
     */
    synchronized boolean keep(final UcxMemory memory)
    {
        return isKeeping && kept.add(memory);
    }

    /** Nobody writes to this process any more. */
    synchronized void free()
    {
        isKeeping = false;
        kept.forEach(UcxMemory::free);
        kept.clear();
    }
}
