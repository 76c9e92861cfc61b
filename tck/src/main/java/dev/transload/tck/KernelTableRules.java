/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryRegion;

/** Rules KRN on rows that are copied to many places, and on what a table of rows is checked for. */
interface KernelTableRules
{
    /** Rows of a source, and of each target. */
    int TABLE_ROWS = 16;

    /** Regions of a scatter, of which the last is not set. */
    int TARGETS = 4;

    /** Bytes of a row, and of a row of scales: neither has a power of two in it that vectors need. */
    int SCATTERED_BYTES = 90;
    int SCALES_BYTES = 20;

    /** Bytes from a row to the next, so that there are bytes between rows. */
    int SCATTERED_STRIDE = 96;

    /**
     * A fresh fixture for one test.
     *
     * @return fixture.
     */
    KernelsFixture fixture();

    @Rule("KRN-19")
    default void krn19RowsAreCopiedToAllTheirEntries()
    {
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final Scattered rows = new Scattered(test, SCATTERED_BYTES);
            final RowScatter scatter =
                new RowScatter(TARGETS).source(rows.source, rows.base(), SCATTERED_STRIDE, SCATTERED_BYTES);
            for (int i = 0; i < TARGETS - 1; i++)
            {
                scatter.target(i, rows.targets[i], rows.base(), SCATTERED_STRIDE);
            }

            final RowTable table = table(test);
            rows.expect(table, 2, TABLE_ROWS - 3);
            assertEquals(1, test.submit(() -> test.kernels.scatterRows(scatter, table, 2, TABLE_ROWS - 3)));
            test.await(1);
            rows.check();
        }
    }

    @Rule("KRN-20")
    default void krn20ATableIsCheckedAsAWhole()
    {
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final MemoryRegion region = test.filled(new byte[2 * SCATTERED_STRIDE]);
            final RowScatter scatter = new RowScatter(2).source(region, 0, SCATTERED_STRIDE, 8)
                .target(1, region, SCATTERED_STRIDE, SCATTERED_STRIDE);
            final Reduction reduction = new Reduction(2).source(1, region, 0, SCATTERED_STRIDE, ElementType.BF16)
                .target(region, SCATTERED_STRIDE, SCATTERED_STRIDE, ElementType.BF16).hidden(8);
            final RowTable rows = test.kernels.allocateTable(2, 2).clear();
            rows.beginRow(0);
            rows.add(1, 0);
            rows.beginRow(1);
            final RowTable entries = test.kernels.allocateTable(2, 2).clear();
            entries.beginRow(0);
            entries.add(1, 0);
            entries.beginRow(0);
            entries.add(1, 2);
            assertThrows(IndexOutOfBoundsException.class, () -> test.kernels.reduceRows(reduction, rows, 0, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> test.kernels.reduceRows(reduction, entries, 0, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> test.kernels.scatterRows(scatter, entries, 0, 1));
            assertEquals(0, test.kernels.position(), "a call was submitted");
            rows.noteWritten(1, 1, 0, 1, false);
            rows.noteNamed(1, 2);
            assertThrows(IndexOutOfBoundsException.class, () -> test.kernels.scatterRows(scatter, rows, 0, 1));
            rows.noteWritten(1, 1, 0, 1, false);
            rows.noteNamed(1, 0);
            test.run(() -> test.kernels.scatterRows(scatter, rows, 0, 1));
        }
    }

    @Rule("KRN-21")
    default void krn21ScalesGoWithTheirRows()
    {
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final Scattered rows = new Scattered(test, SCATTERED_BYTES);
            final Scattered scales = new Scattered(test, SCALES_BYTES);
            final RowScatter scatter = new RowScatter(TARGETS)
                .source(rows.source, rows.base(), SCATTERED_STRIDE, SCATTERED_BYTES)
                .scales(scales.source, scales.base(), SCATTERED_STRIDE, SCALES_BYTES);
            for (int i = 0; i < TARGETS - 1; i++)
            {
                scatter.target(i, rows.targets[i], rows.base(), SCATTERED_STRIDE)
                    .scalesTarget(i, scales.targets[i], scales.base(), SCATTERED_STRIDE);
            }

            final RowTable table = table(test);
            rows.expect(table, 0, TABLE_ROWS);
            scales.expect(table, 0, TABLE_ROWS);
            assertEquals(1, test.submit(() -> test.kernels.scatterRows(scatter, table, 0, TABLE_ROWS)));
            scatter.source(null, 0, 0, 0).scales(null, 0, 0, 0);
            test.await(1);
            rows.check();
            scales.check();
        }
    }

    @Rule("KRN-22")
    default void krn22EntriesNameRegionsThatAreSet()
    {
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final MemoryRegion region = test.filled(new byte[TABLE_ROWS * SCATTERED_STRIDE]);
            for (int named = 1; named <= 2; named++)
            {
                final RowTable table = test.kernels.allocateTable(1, 2).clear();
                table.beginRow(0);
                table.add(0, 0);
                table.add(named, 1);
                final Reduction reduction = new Reduction(2)
                    .source(0, region, 0, SCATTERED_STRIDE, ElementType.BF16)
                    .target(region, SCATTERED_STRIDE, 0, ElementType.BF16).hidden(8);
                final RowScatter rows = new RowScatter(2).source(region, 0, SCATTERED_STRIDE, 8)
                    .target(0, region, SCATTERED_STRIDE, SCATTERED_STRIDE);
                final RowScatter scales = new RowScatter(2).source(region, 0, SCATTERED_STRIDE, 8)
                    .target(0, region, SCATTERED_STRIDE, SCATTERED_STRIDE)
                    .target(1, region, 4 * SCATTERED_STRIDE, SCATTERED_STRIDE)
                    .scales(region, 8, SCATTERED_STRIDE, 8)
                    .scalesTarget(0, region, 8 * SCATTERED_STRIDE, SCATTERED_STRIDE);
                assertThrows(IllegalArgumentException.class, () -> test.kernels.reduceRows(reduction, table, 0, 1));
                assertThrows(IllegalArgumentException.class, () -> test.kernels.scatterRows(rows, table, 0, 1));
                assertThrows(IllegalArgumentException.class, () -> test.kernels.scatterRows(scales, table, 0, 1));
                assertEquals(0, test.kernels.position(), "a call was submitted");
            }
        }
    }

    /** Rows in an order of their own, each of which goes to none, one or several of the regions. */
    private static RowTable table(final KernelsCase test)
    {
        final RowTable table = test.kernels.allocateTable(TABLE_ROWS, TABLE_ROWS * TARGETS).clear();
        for (int i = 0; i < TABLE_ROWS; i++)
        {
            table.beginRow(i * 5 % TABLE_ROWS);
            for (int k = 0; k < i % TARGETS; k++)
            {
                table.add((i + k) % (TARGETS - 1), i * 3 % TABLE_ROWS);
            }
        }

        return table;
    }

    /** A source, targets, and what is to be in these. */
    final class Scattered
    {
        private final KernelsCase test;
        private final int bytes;
        private final byte[] given;
        private final byte[][] expected = new byte[TARGETS - 1][];
        private final MemoryRegion source;
        private final MemoryRegion[] targets = new MemoryRegion[TARGETS - 1];

        Scattered(final KernelsCase test, final int bytes)
        {
            this.test = test;
            this.bytes = bytes;
            this.given = Lane.pattern((TABLE_ROWS + 1) * SCATTERED_STRIDE, bytes);
            this.source = test.filled(given);
            for (int i = 0; i < targets.length; i++)
            {
                expected[i] = Lane.pattern((TABLE_ROWS + 1) * SCATTERED_STRIDE, bytes + 1 + i);
                targets[i] = test.filled(expected[i]);
            }
        }

        int base()
        {
            return bytes % 7;
        }

        void expect(final RowTable table, final int from, final int count)
        {
            for (int i = from; i < from + count; i++)
            {
                for (int entry = table.firstEntry(i); entry < table.firstEntry(i + 1); entry++)
                {
                    System.arraycopy(given, base() + table.row(i) * SCATTERED_STRIDE, expected[table.region(entry)],
                        base() + table.entryRow(entry) * SCATTERED_STRIDE, bytes);
                }
            }
        }

        void check()
        {
            for (int i = 0; i < targets.length; i++)
            {
                assertArrayEquals(expected[i], test.read(targets[i]), "target " + i);
            }

            assertArrayEquals(given, test.read(source), "source");
        }
    }
}
