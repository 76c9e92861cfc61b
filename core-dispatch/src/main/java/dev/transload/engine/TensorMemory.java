/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;

/**
 * Memory that the transports of both stages may read and write: allocated by the engine, or the caller's own and
 * registered. Closing it is the owner's duty, once no call uses it; the engine closes what is left.
 */
public final class TensorMemory implements AutoCloseable
{
    private final MemoryRegion scaleOut;
    private final MemoryRegion scaleUp;
    private volatile boolean isClosed;

    /**
     * By the engine, from registrations of the same bytes.
     *
     * @param scaleOut with the scale-out stage's transport, or the other one again where that is not needed.
     * @param scaleUp  with the scale-up stage's transport.
     */
    public TensorMemory(final MemoryRegion scaleOut, final MemoryRegion scaleUp)
    {
        this.scaleOut = scaleOut;
        this.scaleUp = scaleUp;
    }

    /**
     * Where the bytes live.
     *
     * @return kind.
     */
    public MemoryKind kind()
    {
        return scaleUp.kind();
    }

    /**
     * Size.
     *
     * @return bytes.
     */
    public long length()
    {
        return scaleUp.length();
    }

    /**
     * Address of the first byte, meaningful to who owns the kind.
     *
     * @return address.
     */
    public long address()
    {
        return scaleUp.address();
    }

    /**
     * Registration with the transport of the scale-out stage.
     *
     * @return region; the scale-up one where that stage needs no transport, or its transport does not move the kind
     * and rows are staged.
     */
    public MemoryRegion scaleOutRegion()
    {
        return scaleOut;
    }

    /**
     * Registration with the transport of the scale-up stage; row kernels use it too.
     *
     * @return region.
     */
    public MemoryRegion scaleUpRegion()
    {
        return scaleUp;
    }

    /**
     * View for the JVM.
     *
     * @param offset first byte.
     * @param length in bytes.
     * @return direct buffer in native byte order.
     * @throws UnsupportedOperationException for kinds that the JVM cannot look into.
     */
    public ByteBuffer hostView(final long offset, final int length)
    {
        return scaleUp.hostView(offset, length);
    }

    /**
     * Whether it was closed.
     *
     * @return true after {@link #close()}.
     */
    public boolean isClosed()
    {
        return isClosed;
    }

    @Override
    public void close()
    {
        isClosed = true;
        if (scaleOut != scaleUp)
        {
            scaleOut.close();
        }

        scaleUp.close();
    }
}
