/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import java.util.concurrent.TimeUnit;

/** Supplies the conformance kit with row kernels and with access to their memory. */
public interface KernelsFixture extends AutoCloseable
{
    /**
     * Returns the kernels under test. The test's thread drives them.
     *
     * @return kernels; the same ones at each call. The kit closes them.
     */
    RowKernels kernels();

    /**
     * Allocates zeroed memory of the kernels' kind.
     *
     * @param length length in bytes.
     * @return region, which is freed with the fixture.
     */
    MemoryRegion allocate(long length);

    /**
     * Writes to memory returned by {@link #allocate}.
     *
     * @param region region of the kernels' kind.
     * @param offset offset of the first byte.
     * @param bytes  bytes to write.
     */
    default void write(final MemoryRegion region, final long offset, final byte[] bytes)
    {
        region.hostView(offset, bytes.length).put(bytes);
    }

    /**
     * Reads memory returned by {@link #allocate}.
     *
     * @param region region of the kernels' kind.
     * @param offset offset of the first byte.
     * @param length number of bytes.
     * @return copy of the bytes.
     */
    default byte[] read(final MemoryRegion region, final long offset, final int length)
    {
        final byte[] bytes = new byte[length];
        region.hostView(offset, length).get(bytes);
        return bytes;
    }

    /**
     * Lets the kernels make progress. The kit calls this method between two checks of a position. If the kernels run
     * step by step, this method runs one step.
     */
    default void pump()
    {
        Thread.onSpinWait();
    }

    /**
     * Returns the longest time that a test waits for one condition before it fails.
     *
     * @return time in nanoseconds.
     */
    default long deadlineNs()
    {
        return TimeUnit.SECONDS.toNanos(10);
    }

    /**
     * Returns whether the rule against allocation (KRN-14) applies. The fixture may return false only if the
     * kernels are made for tests.
     *
     * @return true if the rule applies.
     */
    default boolean isAllocationFree()
    {
        return true;
    }

    /** Frees the memory. The kernels are already closed. */
    @Override
    void close();
}
