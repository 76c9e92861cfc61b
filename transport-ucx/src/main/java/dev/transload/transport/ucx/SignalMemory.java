/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.transport.base.SharedMemory;
import java.nio.ByteBuffer;

/** Memory of signals, which UCX unmaps at once: not before all readers have finished. */
final class SignalMemory implements SharedMemory
{
    private final UcxMemory memory;

    SignalMemory(final UcxMemory memory)
    {
        this.memory = memory;
    }

    @Override
    public long address()
    {
        return memory.address();
    }

    @Override
    public ByteBuffer view(final long offset, final int length)
    {
        return memory.view(offset, length);
    }

    @Override
    public ByteBuffer key()
    {
        return memory.key();
    }

    @Override
    public void free()
    {
        abandon();
    }

    /** The signals are marked as closed by now: later reads are refused. */
    @Override
    public void abandon()
    {
        if (SignalReaders.awaitNone())
        {
            memory.free();
        }
    }
}
