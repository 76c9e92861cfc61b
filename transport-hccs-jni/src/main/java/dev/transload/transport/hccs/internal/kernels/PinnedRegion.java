/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.kernels;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.transport.base.AddressView;
import dev.transload.transport.hccs.internal.acl.PinnedMemory;

import java.nio.ByteBuffer;

/** Page-locked memory as the row kernels of host memory take it. Its allocator frees it. */
record PinnedRegion(PinnedMemory memory) implements MemoryRegion
{
    @Override
    public MemoryKind kind()
    {
        return MemoryKind.HOST;
    }

    @Override
    public int device()
    {
        return 0;
    }

    @Override
    public Access access()
    {
        return Access.LOCAL;
    }

    @Override
    public long length()
    {
        return memory.length();
    }

    @Override
    public long address()
    {
        return memory.address();
    }

    @Override
    public ByteBuffer descriptor()
    {
        throw new IllegalStateException("memory for staging is LOCAL: no peer may import it");
    }

    @Override
    public ByteBuffer hostView(final long offset, final int viewLength)
    {
        return AddressView.of(memory.address() + offset, viewLength);
    }

    @Override
    public void close()
    {
        // The staging slots free it.
    }
}
