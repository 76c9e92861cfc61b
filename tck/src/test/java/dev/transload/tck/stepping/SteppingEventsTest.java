/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.ForeignEvent;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import java.util.Arrays;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Rule KRN-12: kernels start after foreign events, and record them when all before is done. */
class SteppingEventsTest
{
    private static final int SEEDS = 100;
    private static final int LENGTH = 64;
    private static final int COPIES = 4;
    private static final int BLOCKED_STEPS = 300;
    private static final int MAX_STEPS = 20_000;
    private static final byte[] ZEROES = new byte[LENGTH];
    private static final byte[] PATTERN = new byte[LENGTH];

    static
    {
        Arrays.fill(PATTERN, (byte)7);
    }

    /** One fabric, one queue of kernels; row 0 holds the pattern, the others are zero. */
    private static final class Bench
    {
        final SteppingFabric fabric;
        final MemoryKind kind;
        final RowKernels kernels;
        final ForeignEvent event;
        final MemoryRegion region;
        final RowList rows;
        private final Random random;

        Bench(final long seed)
        {
            kind = 0 == seed % 2 ? MemoryKind.HOST : SteppingOptions.OPAQUE;
            fabric = new SteppingFabric(seed, 1, SteppingOptions.opaque());
            kernels = fabric.kernels(0, kind);
            event = fabric.event(kind);
            region = fabric.transport(0).allocate(kind, 0, (COPIES + 1L) * LENGTH, Access.LOCAL);
            fabric.poke(region, 0, PATTERN);
            rows = kernels.allocateRows(COPIES).rowLength(LENGTH);
            random = new Random(seed);
            for (int i = 0; i < COPIES; i++)
            {
                rows.set(i, (long)i * LENGTH, (i + 1L) * LENGTH);
            }
        }

        /** Copies a row to the next. */
        long copy(final RowKernels queue, final int row)
        {
            return submit(queue, () -> queue.copyRows(region, region, rows, row, 1));
        }

        long submit(final RowKernels queue, final LongSupplier operation)
        {
            for (int i = 0; i < MAX_STEPS; i++)
            {
                final long position = operation.getAsLong();
                if (position >= 0)
                {
                    return position;
                }

                move(queue);
            }

            throw new AssertionError("not accepted, seed " + fabric.seed());
        }

        void await(final RowKernels queue, final BooleanSupplier condition)
        {
            for (int i = 0; i < MAX_STEPS && !condition.getAsBoolean(); i++)
            {
                move(queue);
            }

            assertTrue(condition.getAsBoolean(), "not after " + MAX_STEPS + " steps, " + this);
        }

        void move(final RowKernels queue)
        {
            if (random.nextBoolean())
            {
                fabric.step();
            }
            else
            {
                queue.progress();
            }
        }

        byte[] row(final int row)
        {
            return fabric.peek(region, (long)row * LENGTH, LENGTH);
        }

        @Override
        public String toString()
        {
            return "seed " + fabric.seed() + ", " + kind;
        }
    }

    @Test
    void shouldStartBehindAnEventOnlyOnceItHappened()
    {
        for (long seed = 0; seed < SEEDS; seed++)
        {
            final Bench bench = new Bench(seed);
            final RowKernels kernels = bench.kernels;
            final long before = bench.copy(kernels, 0);
            bench.submit(kernels, () -> kernels.waitFor(bench.event));
            bench.copy(kernels, 1);
            final long last = bench.copy(kernels, 2);
            for (int i = 0; i < BLOCKED_STEPS; i++)
            {
                bench.move(kernels);
                assertTrue(kernels.completedPosition() <= before, () -> "the event did not happen, " + bench);
                assertArrayEquals(ZEROES, bench.row(2), bench::toString);
                assertArrayEquals(ZEROES, bench.row(3), bench::toString);
            }

            bench.await(kernels, () -> kernels.completedPosition() >= before);
            assertArrayEquals(PATTERN, bench.row(1), bench::toString);
            bench.fabric.signal(bench.event);
            bench.await(kernels, () -> kernels.completedPosition() >= last);
            assertArrayEquals(PATTERN, bench.row(3), bench::toString);
        }
    }

    @Test
    void shouldRecordAnEventOnlyAfterAllBeforeIt()
    {
        for (long seed = 0; seed < SEEDS; seed++)
        {
            final Bench bench = new Bench(seed);
            final RowKernels kernels = bench.kernels;
            for (int i = 0; i < COPIES; i++)
            {
                bench.copy(kernels, i);
            }

            final long recorded = bench.submit(kernels, () -> kernels.record(bench.event));
            bench.await(kernels, () ->
            {
                // Looked at between any two steps: what is done late shows as completed without its event.
                final boolean hasHappened = bench.fabric.hasHappened(bench.event);
                assertTrue(hasHappened || kernels.completedPosition() < recorded, bench::toString);
                return hasHappened;
            });
            for (int i = 1; i <= COPIES; i++)
            {
                assertArrayEquals(PATTERN, bench.row(i), bench::toString);
            }

            bench.await(kernels, () -> kernels.completedPosition() >= recorded);
        }
    }

    @Test
    void shouldOrderTwoQueuesByAnEvent()
    {
        int overtaken = 0;
        for (long seed = 0; seed < SEEDS; seed++)
        {
            assertArrayEquals(PATTERN, copyOnTwoQueues(seed, true), "seed " + seed);
            overtaken += Arrays.equals(PATTERN, copyOnTwoQueues(seed, false)) ? 0 : 1;
        }

        assertTrue(overtaken > SEEDS / 4, "only " + overtaken + " of " + SEEDS + " seeds showed the missing event");
    }

    @Test
    void shouldRefuseAnEventOfAnotherKind()
    {
        final Bench bench = new Bench(0);
        final ForeignEvent foreign = bench.fabric.event(SteppingOptions.OPAQUE);
        assertThrows(IllegalArgumentException.class, () -> bench.kernels.waitFor(foreign));
        assertThrows(IllegalArgumentException.class, () -> bench.kernels.record(foreign));
        assertEquals(0, bench.kernels.position());
        assertFalse(bench.fabric.hasHappened(foreign));
    }

    /** One queue copies row 0 to row 1, the other row 1 to row 2. */
    private static byte[] copyOnTwoQueues(final long seed, final boolean waits)
    {
        final Bench bench = new Bench(seed);
        final RowKernels first = bench.kernels;
        final RowKernels second = bench.fabric.kernels(0, bench.kind);
        bench.copy(first, 0);
        bench.submit(first, () -> first.record(bench.event));
        if (waits)
        {
            bench.submit(second, () -> second.waitFor(bench.event));
        }

        final long last = bench.copy(second, 1);
        bench.await(second, () -> second.completedPosition() >= last);
        return bench.row(2);
    }
}
