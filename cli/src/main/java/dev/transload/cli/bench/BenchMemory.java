/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportUnavailableException;

/**
 * Memory of a rank.
 *
 * @param target that the peer addresses.
 * @param local  of the same length, to send from or to load into; null for a rank that does neither.
 */
record BenchMemory(MemoryRegion target, MemoryRegion local)
{
    /** Fewer bytes are not worth a bench. */
    private static final long LEAST_BYTES = 1L << 20;

    /** As much as there is: where memory is short, half as much is asked for. */
    static BenchMemory of(
        final Transport transport, final MemoryKind kind, final int device, final long most, final boolean hasLocal)
    {
        TransportUnavailableException refusal = null;
        for (long bytes = most; null == refusal || bytes >= LEAST_BYTES; bytes /= 2)
        {
            MemoryRegion target = null;
            try
            {
                target = transport.allocate(kind, device, bytes, Access.REMOTE);
                return new BenchMemory(
                    target, hasLocal ? transport.allocate(kind, device, bytes, Access.LOCAL) : null);
            }
            catch (final TransportUnavailableException ex)
            {
                refusal = ex;
                if (null != target)
                {
                    target.close();
                }
            }
        }

        throw refusal;
    }
}
