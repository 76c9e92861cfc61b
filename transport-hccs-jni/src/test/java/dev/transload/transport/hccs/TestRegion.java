/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;

import java.nio.ByteBuffer;

/** Memory of no transport, as an application might bring it. */
record TestRegion(MemoryKind kind, int device, long length, long address, ByteBuffer host, Runnable onClose)
    implements MemoryRegion
{
    @Override
    public Access access()
    {
        return Access.LOCAL;
    }

    @Override
    public ByteBuffer descriptor()
    {
        throw new IllegalStateException("the region is LOCAL");
    }

    @Override
    public ByteBuffer hostView(final long offset, final int viewLength)
    {
        if (null == host)
        {
            throw new UnsupportedOperationException("the JVM cannot look into it");
        }

        return host.slice((int)offset, viewLength).order(host.order());
    }

    @Override
    public void close()
    {
        onClose.run();
    }
}
