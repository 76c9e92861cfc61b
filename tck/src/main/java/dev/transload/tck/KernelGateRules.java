/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowGates;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import org.junit.jupiter.api.Assumptions;

/** Rules KRN on copies that are submitted before their rows are there. */
interface KernelGateRules
{
    /** Of a part. */
    int LENGTH = 5 * 64;

    /** How often an operation may end before its parts are opened. */
    int ATTEMPTS = 100;

    /** Rounds of progress in which a part must stay closed. */
    int LOOKS = 20;

    /** Parts of each operation: one that is opened, one that stays closed, one of no rows. */
    int OPENED = 1;
    int CLOSED = 2;
    int EMPTY = 4;

    /**
     * A fresh fixture for one test.
     *
     * @return fixture.
     */
    KernelsFixture fixture();

    @Rule("KRN-19")
    default void krn19PartsWaitUntilTheyAreOpened()
    {
        final byte[] early = Lane.pattern(LENGTH, 20);
        final byte[] late = Lane.pattern(LENGTH, 21);
        final byte[] before = Lane.pattern(LENGTH, 22);
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final RowGates gates = gates(test);
            final MemoryRegion source = test.filled(early);
            final MemoryRegion opened = test.filled(before);
            final MemoryRegion closed = test.filled(before);
            final RowCopies copies = copies(test, source, opened, closed);
            int copied = 0;
            for (int i = 0; i < ATTEMPTS && 0 == (copied & OPENED); i++)
            {
                test.fixture.write(source, 0, early);
                final long position = test.submit(() -> gates.copyRows(copies));
                move(test);
                test.fixture.write(source, 0, late);
                gates.open(OPENED | EMPTY);
                move(test);
                gates.leave();
                test.await(position);
                copied = gates.copied();
                assertEquals(0, copied & CLOSED, "the part that was never opened was copied");
                assertArrayEquals(before, test.read(closed), "rows of the part that was never opened");
                assertArrayEquals(0 == (copied & OPENED) ? before : late, test.read(opened), "rows of the other part");
            }

            assertEquals(OPENED, copied & OPENED, "not copied, though opened, by " + ATTEMPTS + " operations");
        }
    }

    @Rule("KRN-20")
    default void krn20AnOperationEndsByItselfAndTellsWhatItCopied()
    {
        final byte[] bytes = Lane.pattern(LENGTH, 23);
        final byte[] before = Lane.pattern(LENGTH, 24);
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final RowGates gates = gates(test);
            final MemoryRegion source = test.filled(bytes);
            final MemoryRegion first = test.filled(before);
            final MemoryRegion second = test.filled(before);
            final MemoryRegion last = test.filled(before);
            final RowCopies copies = copies(test, source, first, second);
            final long position = test.submit(() -> gates.copyRows(copies));
            test.submit(() -> test.kernels.copyRows(source, last, test.rows(1, LENGTH), 0, 1));
            assertEquals(position + 1, test.kernels.position());
            test.await(position + 1);
            assertEquals(0, gates.copied() & (OPENED | CLOSED));
            assertArrayEquals(before, test.read(first), "nothing was opened");
            assertArrayEquals(bytes, test.read(last), "what was submitted behind it");

            int copied = 0;
            for (int i = 0; i < ATTEMPTS && copied != (OPENED | CLOSED | EMPTY); i++)
            {
                final long next = test.submit(() -> gates.copyRows(copies));
                gates.open(OPENED);
                gates.open(CLOSED | EMPTY);
                test.await(next);
                copied = gates.copied();
                assertArrayEquals(0 == (copied & OPENED) ? before : bytes, test.read(first), "first part");
                assertArrayEquals(0 == (copied & CLOSED) ? before : bytes, test.read(second), "second part");
            }

            assertEquals(OPENED | CLOSED | EMPTY, copied, "all was opened");
            assertOneAtATime(test, gates, copies);
        }
    }

    /** Unless the first one has ended meanwhile. */
    private static void assertOneAtATime(final KernelsCase test, final RowGates gates, final RowCopies copies)
    {
        boolean isRefused = false;
        for (int i = 0; i < ATTEMPTS && !isRefused; i++)
        {
            final long position = test.submit(() -> gates.copyRows(copies));
            try
            {
                final long second = gates.copyRows(copies);
                assertTrue(second < 0 || test.kernels.completedPosition() >= position, "two at a time");
            }
            catch (final IllegalStateException ex)
            {
                isRefused = true;
            }

            gates.leave();
            test.await(test.kernels.position());
        }

        assertTrue(isRefused, "none of " + ATTEMPTS + " second copies was refused");
    }

    private static RowGates gates(final KernelsCase test)
    {
        Assumptions.assumeTrue(null != test.kernels.gates(), "these kernels copy nothing ahead of its rows");
        return test.kernels.gates();
    }

    private static RowCopies copies(
        final KernelsCase test, final MemoryRegion source, final MemoryRegion opened, final MemoryRegion closed)
    {
        final RowList rows = test.rows(5, LENGTH / 5);
        return new RowCopies().add(source, opened, rows, 0, 5).add(source, closed, rows, 0, 5)
            .add(source, closed, rows, 2, 0);
    }

    private static void move(final KernelsCase test)
    {
        for (int i = 0; i < LOOKS; i++)
        {
            test.move();
        }
    }
}
