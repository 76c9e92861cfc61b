/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import java.util.concurrent.TimeUnit;

/** What the kit must know of row kernels: where their memory comes from, and how a test looks into it. */
public interface KernelsFixture extends AutoCloseable
{
    /**
     * Kernels under test, driven by the thread of the test.
     *
     * @return kernels; the same at each call, closed by the kit.
     */
    RowKernels kernels();

    /**
     * Zeroed memory of the kernels' kind.
     *
     * @param length in bytes.
     * @return region, freed with the fixture.
     */
    MemoryRegion allocate(long length);

    /**
     * Fill memory that {@link #allocate} gave.
     *
     * @param region of the kernels' kind.
     * @param offset first byte.
     * @param bytes  to write.
     */
    default void write(final MemoryRegion region, final long offset, final byte[] bytes)
    {
        region.hostView(offset, bytes.length).put(bytes);
    }

    /**
     * Look into memory that {@link #allocate} gave.
     *
     * @param region of the kernels' kind.
     * @param offset first byte.
     * @param length in bytes.
     * @return copy.
     */
    default byte[] read(final MemoryRegion region, final long offset, final int length)
    {
        final byte[] bytes = new byte[length];
        region.hostView(offset, length).get(bytes);
        return bytes;
    }

    /** Called between two looks at a position; kernels that are driven by steps take one. */
    default void pump()
    {
        Thread.onSpinWait();
    }

    /**
     * How long a test waits for one condition before it fails.
     *
     * @return nanoseconds.
     */
    default long deadlineNs()
    {
        return TimeUnit.SECONDS.toNanos(10);
    }

    /**
     * Whether the rule that nothing is allocated (KRN-14) applies. Only kernels made for tests may say no.
     *
     * @return true unless the kernels are a reference for tests.
     */
    default boolean isAllocationFree()
    {
        return true;
    }

    /** Frees the memory; the kernels were closed before. */
    @Override
    void close();
}
