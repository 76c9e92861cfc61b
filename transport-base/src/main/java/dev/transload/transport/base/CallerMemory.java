/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.ByteBuffer;

/**
 * Memory that belongs to the caller or to a peer. Freeing this object does not free the memory.
 *
 * @param address address of the first byte.
 */
public record CallerMemory(long address) implements RegionMemory
{
    @Override
    public ByteBuffer view(final long offset, final int length)
    {
        return AddressView.of(address + offset, length);
    }

    @Override
    public void free()
    {
        // Its owner's business.
    }
}
