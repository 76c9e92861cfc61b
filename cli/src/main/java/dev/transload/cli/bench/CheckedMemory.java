/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;

/** A region as the JVM sees it, a piece at a time. Memory of a device comes and goes by way of host memory. */
interface CheckedMemory
{
    /** Most bytes of a piece. */
    int PIECE = 1 << 20;

    /** A piece to fill; what was in it is lost. */
    ByteBuffer blank(long offset, int count);

    /** A piece that was filled goes to its place. */
    void store(long offset, int count);

    /** A piece to look into. */
    ByteBuffer fetch(long offset, int count);

    /** Host memory is looked into itself. */
    static CheckedMemory ofHost(final MemoryRegion region)
    {
        return new CheckedMemory()
        {
            @Override
            public ByteBuffer blank(final long offset, final int count)
            {
                return region.hostView(offset, count);
            }

            @Override
            public void store(final long offset, final int count)
            {
                // It is there.
            }

            @Override
            public ByteBuffer fetch(final long offset, final int count)
            {
                return region.hostView(offset, count);
            }
        };
    }
}
