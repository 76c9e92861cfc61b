/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.internal.connect.TensorAllocator;
import dev.transload.engine.internal.normal.TopkMirrors;
import dev.transload.spi.MemoryKind;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** Mirrors of ended calls, to be used again: their memory has grown to the calls that are made. */
final class MirrorPool implements Consumer<TopkMirrors>
{
    private final TensorAllocator tensors;
    private final Deque<TopkMirrors> free = new ArrayDeque<>();

    MirrorPool(final TensorAllocator tensors)
    {
        this.tensors = tensors;
    }

    synchronized TopkMirrors take()
    {
        return free.isEmpty() ? new TopkMirrors((bytes) -> tensors.allocate(MemoryKind.HOST, 0, bytes), this) :
            free.pop();
    }

    @Override
    public synchronized void accept(final TopkMirrors mirrors)
    {
        free.push(mirrors);
    }
}
