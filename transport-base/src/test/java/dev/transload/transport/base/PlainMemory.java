/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.ByteBuffer;
import java.util.List;

/** Memory that writes down its end, and whose key may fail, or be too long for a descriptor. */
final class PlainMemory implements SharedMemory
{
    static final int LONG = RegionDescriptor.MAX_LENGTH;

    private final BufferMemory memory;
    private final List<String> events;

    PlainMemory(final BufferMemory memory, final List<String> events)
    {
        this.memory = memory;
        this.events = events;
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
        if (events.contains("no keys"))
        {
            throw new UnsupportedOperationException("no keys");
        }

        return ByteBuffer.allocate(events.contains("long keys") ? LONG : 1);
    }

    @Override
    public void free()
    {
        events.add("freed memory");
    }

    @Override
    public void abandon()
    {
        events.add("abandoned memory");
    }
}
