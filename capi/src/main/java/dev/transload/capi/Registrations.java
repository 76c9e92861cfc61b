/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.capi;

import dev.transload.engine.TensorMemory;
import dev.transload.spi.MemoryKind;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Registrations of device memory that its owner allocates, frees and allocates again at the same addresses. Only this
 * rank reads and writes it, by the address alone: a registration stays right whatever has become of the memory, and
 * those that were used last are kept for later calls.
 */
final class Registrations
{
    /** More than the tensors of 61 layers, as a graph has them. */
    private static final int MOST = 1024;

    private static final float LOAD = 0.75F;

    private final Inputs.Registry registry;
    private final Map<Long, TensorMemory> kept = new LinkedHashMap<>(MOST, LOAD, true);

    Registrations(final Inputs.Registry registry)
    {
        this.registry = registry;
    }

    synchronized TensorMemory of(final MemoryKind kind, final int device, final long address, final long bytes)
    {
        final TensorMemory found = kept.get(address);
        if (null != found && found.length() >= bytes && found.device() == device)
        {
            return found;
        }

        final TensorMemory made = registry.register(kind, device, address, bytes);
        final TensorMemory older = kept.put(address, made);
        if (null != older)
        {
            older.close();
        }

        if (kept.size() > MOST)
        {
            final Iterator<TensorMemory> eldest = kept.values().iterator();
            eldest.next().close();
            eldest.remove();
        }

        return made;
    }
}
