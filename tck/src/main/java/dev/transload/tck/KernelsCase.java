/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import java.util.function.LongSupplier;

/** One test's kernels and memory; every wait is bounded and says what it waited for. */
final class KernelsCase implements AutoCloseable
{
    final KernelsFixture fixture;
    final RowKernels kernels;

    KernelsCase(final KernelsFixture fixture)
    {
        this.fixture = fixture;
        this.kernels = fixture.kernels();
    }

    MemoryRegion filled(final byte[] bytes)
    {
        final MemoryRegion region = fixture.allocate(bytes.length);
        fixture.write(region, 0, bytes);
        return region;
    }

    RowList rows(final int count, final int rowLength)
    {
        final RowList rows = kernels.allocateRows(count).rowLength(rowLength);
        for (int i = 0; i < count; i++)
        {
            rows.set(i, (long)i * rowLength, (long)i * rowLength);
        }

        return rows;
    }

    long submit(final LongSupplier operation)
    {
        final long deadline = System.nanoTime() + fixture.deadlineNs();
        for (long result = operation.getAsLong(); ; result = operation.getAsLong())
        {
            if (result >= 0)
            {
                return result;
            }

            if (System.nanoTime() - deadline > 0)
            {
                throw new AssertionError("waited " + fixture.deadlineNs() + " ns in vain for kernels of " +
                    kernels.kind() + " to accept an operation: seen status " + result);
            }

            move();
        }
    }

    void await(final long position)
    {
        final long deadline = System.nanoTime() + fixture.deadlineNs();
        while (kernels.completedPosition() < position)
        {
            if (System.nanoTime() - deadline > 0)
            {
                throw new AssertionError("waited " + fixture.deadlineNs() + " ns in vain for kernels of " +
                    kernels.kind() + ": expected position " + position + ", seen " + kernels.completedPosition());
            }

            move();
        }
    }

    /** Submits, and waits for the completion. */
    void run(final LongSupplier operation)
    {
        await(submit(operation));
    }

    byte[] read(final MemoryRegion region)
    {
        return fixture.read(region, 0, (int)region.length());
    }

    void move()
    {
        fixture.pump();
        kernels.progress();
    }

    @Override
    public void close()
    {
        try (fixture)
        {
            kernels.close();
        }
    }
}
