/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.ScaleFormat;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.function.Executable;

/** Rules KRN on the queue, on copies and on misuse. */
interface KernelQueueRules
{
    /** Rows of a list. */
    int ROWS = 16;

    /** Bytes of a row. */
    int ROW_LENGTH = 96;

    /** Rounds of calls in which nothing may be allocated. */
    int HOT_ROUNDS = 4_000;

    /**
     * A fresh fixture for one test.
     *
     * @return fixture.
     */
    KernelsFixture fixture();

    @Rule("KRN-1")
    default void krn1LaterOperationsSeeEarlierOnes()
    {
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final byte[] bytes = Lane.pattern(ROWS * ROW_LENGTH, 1);
            final MemoryRegion[] regions = new MemoryRegion[ROWS];
            regions[0] = test.filled(bytes);
            final RowList rows = test.rows(ROWS, ROW_LENGTH);
            for (int i = 1; i < ROWS; i++)
            {
                final MemoryRegion from = regions[i - 1];
                regions[i] = test.filled(new byte[bytes.length]);
                final MemoryRegion to = regions[i];
                test.submit(() -> test.kernels.copyRows(from, to, rows, 0, ROWS));
            }

            test.await(test.kernels.position());
            assertArrayEquals(bytes, test.read(regions[ROWS - 1]));
        }
    }

    @Rule("KRN-2")
    default void krn2PositionsCountAndComplete()
    {
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final MemoryRegion region = test.filled(new byte[ROWS * ROW_LENGTH]);
            final RowList rows = test.rows(ROWS, ROW_LENGTH);
            long completed = 0;
            for (int i = 1; i <= 10 * ROWS; i++)
            {
                assertEquals(i, test.submit(() -> test.kernels.zeroRows(region, rows, 0, ROWS)));
                assertEquals(i, test.kernels.position());
                final long now = test.kernels.completedPosition();
                assertTrue(now >= completed, "completed position went back from " + completed + " to " + now);
                assertTrue(now <= i, "completed position " + now + " is beyond " + i);
                completed = now;
            }

            test.await(10 * ROWS);
        }
    }

    @Rule("KRN-3")
    default void krn3CopyGathersAndScatters()
    {
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final byte[] bytes = Lane.pattern(ROWS * ROW_LENGTH, 3);
            final byte[] expected = Lane.pattern(2 * ROWS * ROW_LENGTH, 4);
            final MemoryRegion src = test.filled(bytes);
            final MemoryRegion dst = test.filled(expected);
            final RowList rows = test.kernels.allocateRows(ROWS).rowLength(ROW_LENGTH);
            for (int i = 0; i < ROWS; i++)
            {
                final int from = i * 5 % ROWS * ROW_LENGTH;
                final int to = i * 3 % ROWS * 2 * ROW_LENGTH;
                rows.set(i, from, to);
                if (i > 1)
                {
                    System.arraycopy(bytes, from, expected, to, ROW_LENGTH);
                }
            }

            test.run(() -> test.kernels.copyRows(src, dst, rows, 2, ROWS - 2));
            assertArrayEquals(expected, test.read(dst));
            assertArrayEquals(bytes, test.read(src));
        }
    }

    @Rule("KRN-4")
    default void krn4ZeroTouchesItsRowsOnly()
    {
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final byte[] expected = Lane.pattern(ROWS * ROW_LENGTH, 5);
            final MemoryRegion dst = test.filled(expected);
            final RowList rows = test.rows(ROWS, ROW_LENGTH);
            for (int i = 0; i < ROWS; i++)
            {
                rows.set(i, -1, (long)(ROWS - 1 - i) * ROW_LENGTH);
            }

            test.run(() -> test.kernels.zeroRows(dst, rows, 3, 2));
            Arrays.fill(expected, (ROWS - 5) * ROW_LENGTH, (ROWS - 3) * ROW_LENGTH, (byte)0);
            assertArrayEquals(expected, test.read(dst));
        }
    }

    @Rule("KRN-10")
    default void krn10MisuseIsRefusedBeforeSubmission()
    {
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final MemoryRegion region = test.filled(new byte[ROWS * ROW_LENGTH]);
            final RowList rows = test.rows(ROWS, ROW_LENGTH);
            rows.set(ROWS - 1, 0, region.length());
            final RowTable table = test.kernels.allocateTable(1, 1).clear();
            table.beginRow(0);
            table.add(0, ROWS);
            final Reduction reduction = sum(region, ElementType.BF16, 8);
            final Reduction ragged = sum(region, ElementType.BF16, 7);
            final Reduction fp8 = sum(region, ElementType.F8_E4M3, 8);
            final RowTable first = test.kernels.allocateTable(1, 1).clear();
            first.beginRow(0);
            first.add(0, 0);
            final RowScatter beyondTarget =
                new RowScatter(1).source(region, 0, ROW_LENGTH, ROW_LENGTH).target(0, region, 0, ROW_LENGTH);
            final RowScatter beyondSource = new RowScatter(1)
                .source(region, region.length() - 1, 0, ROW_LENGTH).target(0, region, 0, ROW_LENGTH);
            final RowScatter beforeSource =
                new RowScatter(1).source(region, -1, ROW_LENGTH, 1).target(0, region, 0, ROW_LENGTH);
            final RowScatter beyondScales = new RowScatter(1).scales(region, 0, ROW_LENGTH, ROW_LENGTH)
                .scalesTarget(0, region, region.length() - ROW_LENGTH + 1, ROW_LENGTH);
            final RowCopies beyondRegion =
                new RowCopies().add(region, region, rows, 0, 1).add(region, region, rows, ROWS - 1, 1);
            final RowCopies beyondList =
                new RowCopies().add(region, region, rows, 0, 1).add(region, region, rows, 1, ROWS);
            final RowCopies negative =
                new RowCopies().add(region, region, rows, 0, 0).add(region, region, rows, 0, -1);
            final List<Executable> misuses = List.of(
                () -> test.kernels.scatterRows(beyondTarget, table, 0, 1),
                () -> test.kernels.scatterRows(beyondTarget, first, 0, 2),
                () -> test.kernels.scatterRows(beyondSource, first, 0, 1),
                () -> test.kernels.scatterRows(beforeSource, first, 0, 1),
                () -> test.kernels.scatterRows(beyondScales, first, 0, 1),
                () -> test.kernels.copyRows(region, region, rows, ROWS - 1, 1),
                () -> test.kernels.copyRows(region, region, rows, 0, ROWS + 1),
                () -> test.kernels.copyRows(beyondRegion),
                () -> test.kernels.copyRows(beyondList),
                () -> test.kernels.copyRows(negative),
                () -> test.kernels.zeroRows(region, rows, -1, 1),
                () -> test.kernels.reduceRows(reduction, table, 0, 1),
                () -> test.kernels.reduceRows(reduction, first, 0, 2),
                () -> test.kernels.reduceRows(reduction.weighted(true), first, 0, 1),
                () -> test.kernels.reduceRows(ragged, first, 0, 0),
                () -> test.kernels.reduceRows(fp8, first, 0, 0),
                () -> test.kernels.quantizeRows(
                    region, region, rows, region, rows, 0, 1, 100, ScaleFormat.AMAX),
                () -> test.kernels.dequantizeRows(region, region, rows, region, rows, 0, 1, 100));
            for (int i = 0; i < misuses.size(); i++)
            {
                final String which = "misuse " + i + " of the test";
                final RuntimeException thrown = assertThrows(RuntimeException.class, misuses.get(i), which);
                assertTrue(thrown instanceof IllegalArgumentException || thrown instanceof IndexOutOfBoundsException,
                    which + " threw " + thrown);
                assertEquals(0, test.kernels.position(), which + " was submitted");
            }
        }
    }

    private static Reduction sum(final MemoryRegion region, final ElementType type, final int hidden)
    {
        return new Reduction().source(0, region, 0, ROW_LENGTH, type).target(region, 0, ROW_LENGTH, ElementType.BF16)
            .hidden(hidden);
    }

    @Rule("KRN-13")
    default void krn13NothingToDoIsDone()
    {
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final MemoryRegion region = test.filled(Lane.pattern(ROWS * ROW_LENGTH, 6));
            final RowList rows = test.rows(ROWS, ROW_LENGTH);
            final RowCopies none = new RowCopies();
            final RowCopies ofNoRows = new RowCopies().add(region, region, rows, ROWS, 0);
            test.run(() -> test.kernels.copyRows(region, region, rows, 0, 0));
            test.run(() -> test.kernels.copyRows(none));
            test.run(() -> test.kernels.copyRows(ofNoRows));
            final RowTable table = test.kernels.allocateTable(1, 1).clear();
            table.beginRow(0);
            final Reduction reduction = sum(region, ElementType.BF16, 8);
            test.run(() -> test.kernels.reduceRows(reduction, table, 0, 1));
            final RowScatter scatter =
                new RowScatter(1).source(region, 0, ROW_LENGTH, ROW_LENGTH).target(0, region, 0, ROW_LENGTH);
            test.run(() -> test.kernels.scatterRows(scatter, table, 0, 1));
            test.run(() -> test.kernels.scatterRows(scatter, table, 1, 0));
            test.run(() -> test.kernels.scatterRows(new RowScatter(1), table, 0, 1));
            assertEquals(7, test.kernels.position());
            final byte[] expected = Lane.pattern(ROWS * ROW_LENGTH, 6);
            Arrays.fill(expected, 0, 8 * Short.BYTES, (byte)0);
            assertArrayEquals(expected, test.read(region));
        }
    }

    @Rule("KRN-14")
    default void krn14TheHotPathAllocatesNothing()
    {
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            Assumptions.assumeTrue(test.fixture.isAllocationFree(),
                "the fixture says that these kernels are a reference for tests, which may allocate");
            final KernelsHotPath path = new KernelsHotPath(test);
            assertEquals(0, Allocation.leastBytes(() -> path.run(HOT_ROUNDS)),
                "bytes allocated by rounds of copyRows, reduceRows and scatterRows");
        }
    }

    @Rule("KRN-18")
    default void krn18PartsAreCopiedByOneOperation()
    {
        final int band = 2 * ROWS * ROW_LENGTH;
        final byte[][] bytes = {Lane.pattern(band, 7), Lane.pattern(band, 8)};
        final byte[][] expected = new byte[3][];
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final MemoryRegion[] sources = {test.filled(bytes[0]), test.filled(bytes[1])};
            final MemoryRegion[] targets = new MemoryRegion[expected.length];
            for (int i = 0; i < targets.length; i++)
            {
                expected[i] = Lane.pattern(RowCopies.MAX_PARTS * band, 9 + i);
                targets[i] = test.filled(expected[i]);
            }

            final RowCopies copies = new RowCopies();
            for (int part = 0; copies.hasRoom(1); part++)
            {
                final RowList rows = test.kernels.allocateRows(ROWS).rowLength(ROW_LENGTH - 5 * part);
                final int first = part % 4;
                final int count = 2 == part % 5 ? 0 : ROWS - 2 * first;
                final int source = part % sources.length;
                final int target = part % targets.length;
                for (int i = 0; i < ROWS; i++)
                {
                    final int from = i * 5 % ROWS * rows.rowLength() + part;
                    final int to = part * band + i * 3 % ROWS * 2 * rows.rowLength();
                    rows.set(i, from, to);
                    if (i >= first && i < first + count)
                    {
                        System.arraycopy(bytes[source], from, expected[target], to, rows.rowLength());
                    }
                }

                copies.add(sources[source], targets[target], rows, first, count);
            }

            final MemoryRegion last = test.filled(new byte[expected[0].length]);
            final RowList whole = test.rows(1, expected[0].length);
            assertEquals(1, test.submit(() -> test.kernels.copyRows(copies)));
            copies.clear().add(targets[0], last, whole, 0, 1);
            assertEquals(2, test.submit(() -> test.kernels.copyRows(copies)));
            test.await(2);
            for (int i = 0; i < targets.length; i++)
            {
                assertArrayEquals(expected[i], test.read(targets[i]), "target " + i);
            }

            assertArrayEquals(expected[0], test.read(last), "copy of target 0");
            assertArrayEquals(bytes[0], test.read(sources[0]), "source 0");
            assertArrayEquals(bytes[1], test.read(sources[1]), "source 1");
        }
    }
}
