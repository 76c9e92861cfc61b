/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.MemoryKind;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Kinds of memory by UCX's numbers ({@code ucs_memory_type_t}), as far as they have a name among transports. */
final class DeviceKinds
{
    private static final Map<MemoryKind, Integer> TYPES =
        Map.of(MemoryKind.HOST, UcxMemory.HOST, MemoryKind.CUDA, 1, new MemoryKind("ROCM"), 3);

    private DeviceKinds()
    {
    }

    /**
     * Kinds that UCX can reach; host memory always.
     *
     * @param types a bit for each number.
     * @return kinds.
     */
    static Set<MemoryKind> of(final long types)
    {
        final Set<MemoryKind> kinds = new LinkedHashSet<>();
        TYPES.forEach((kind, type) ->
        {
            if (UcxMemory.HOST == type || 0 != (types >>> type & 1))
            {
                kinds.add(kind);
            }
        });
        return kinds;
    }

    /** UCX's number of a kind that {@link #of} has named. */
    static int type(final MemoryKind kind)
    {
        return TYPES.get(kind);
    }
}
