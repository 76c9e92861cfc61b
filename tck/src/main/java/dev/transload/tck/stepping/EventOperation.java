/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.ForeignEvent;
import dev.transload.spi.MemoryKind;

/** Waits for a foreign event, or records it. */
final class EventOperation extends KernelOperation
{
    private final SteppingFabric fabric;
    private final MemoryKind kind;
    private final ForeignEvent event;
    private final boolean isRecord;

    EventOperation(
        final SteppingFabric fabric, final MemoryKind kind, final ForeignEvent event, final boolean isRecord)
    {
        this.fabric = fabric;
        this.kind = kind;
        this.event = event;
        this.isRecord = isRecord;
    }

    @Override
    void check()
    {
        if (!event.kind().equals(kind))
        {
            throw new IllegalArgumentException("event is of " + event.kind() + ", must be of " + kind);
        }
    }

    @Override
    boolean mayBegin()
    {
        return isRecord || fabric.hasHappened(event);
    }

    @Override
    boolean isEmpty()
    {
        return false;
    }

    @Override
    void spoil(final Chance chance)
    {
        // Events have no target rows.
    }

    @Override
    void finish()
    {
        if (isRecord)
        {
            fabric.signal(event);
        }
    }

    @Override
    public String toString()
    {
        return (isRecord ? "record of " : "wait for ") + event;
    }
}
