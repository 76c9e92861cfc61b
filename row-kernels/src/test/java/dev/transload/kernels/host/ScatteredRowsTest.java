/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows of any length and their scales, copied to many places at any byte; a failure prints the seed. */
class ScatteredRowsTest
{
    private static final int RUNS = 150;
    private static final int ROWS = 24;
    private static final int MAX_REGIONS = 20;
    private static final int MAX_ENTRIES = 5;
    private static final int MAX_BYTES = 20_000;
    private static final int REGION_BYTES = ROWS * (MAX_BYTES + 64);
    private static final int TARGET_BYTES = (MAX_ENTRIES * ROWS + 1) * 2 * 4096;

    private final BufferRegion source = new BufferRegion(REGION_BYTES);
    private final byte[] bytes;

    ScatteredRowsTest()
    {
        final Random random = new Random(1);
        for (int i = 0; i < REGION_BYTES; i++)
        {
            source.memory().put(i, (byte)random.nextInt());
        }

        bytes = source.bytes();
    }

    static String[] modes()
    {
        return Modes.offered();
    }

    @ParameterizedTest
    @MethodSource("modes")
    void shouldCopyEachRowToAllOfItsPlacesAndNoOtherByte(final String mode)
    {
        try (RowKernels kernels = Modes.open(mode))
        {
            final RowTable table = kernels.allocateTable(ROWS, ROWS * MAX_ENTRIES);
            for (long seed = 0; seed < RUNS; seed++)
            {
                final Random random = new Random(seed * 0x9E37_79B9_7F4A_7C15L);
                final int length = random.nextInt(4) > 0 ? 2048 + random.nextInt(4096) : random.nextInt(MAX_BYTES);
                final int scaleLength = random.nextInt(300);
                final int regions = random.nextBoolean() ? 1 : 1 + random.nextInt(MAX_REGIONS);
                final RowScatter scatter = new RowScatter(regions).finalPlaces(random.nextBoolean())
                    .source(source, random.nextInt(64), length + random.nextInt(64), length)
                    .scales(source, random.nextInt(64), random.nextInt(400), scaleLength);
                final BufferRegion[] targets = new BufferRegion[2 * regions];
                final byte[][] expected = new byte[2 * regions][TARGET_BYTES];
                for (int i = 0; i < regions; i++)
                {
                    targets[i] = new BufferRegion(TARGET_BYTES);
                    targets[regions + i] = new BufferRegion(TARGET_BYTES);
                    scatter.target(i, targets[i], random.nextInt(64), length + random.nextInt(3))
                        .scalesTarget(i, targets[regions + i], random.nextInt(64), scaleLength + random.nextInt(3));
                }

                final int from = fill(table, random, scatter);
                expect(table, from, scatter, expected);
                assertEquals(seed + 1, kernels.scatterRows(scatter, table, from, table.rows() - from));
                for (int i = 0; i < targets.length; i++)
                {
                    assertArrayEquals(expected[i], targets[i].bytes(), "seed " + seed + ", target " + i +
                        ", rows of " + length + " and " + scaleLength);
                }
            }
        }
    }

    /** Into one region: which one an entry names is the same code everywhere. */
    @Test
    void shouldCopyRowsOnAarch64()
    {
        final Aarch64Arithmetic aarch64 = Aarch64Arithmetic.open();
        final int length = 2053;
        try (RowKernels kernels = Modes.open("scalar"))
        {
            final RowTable table = kernels.allocateTable(3, 5);
            final byte[] expected = new byte[6 * length];
            for (final int[] row : new int[][]{{2, 0, 5}, {0, 3}, {1, 1, 4}})
            {
                table.beginRow(row[0]);
                for (int i = 1; i < row.length; i++)
                {
                    table.add(0, row[i]);
                    System.arraycopy(bytes, row[0] * length, expected, row[i] * length, length);
                }
            }

            assertArrayEquals(
                expected, aarch64.scatter(table, Arrays.copyOf(bytes, 3 * length), length, expected.length));
        }
    }

    /** Places of a region are taken in order; those of the first rows, which are not copied, are taken again. */
    private static int fill(final RowTable table, final Random random, final RowScatter scatter)
    {
        final int[] next = new int[scatter.targetRegions()];
        final int from = random.nextInt(3);
        table.clear();
        for (int i = 0, rows = from + random.nextInt(ROWS - 3); i < rows; i++)
        {
            table.beginRow(random.nextInt(ROWS));
            for (int entry = random.nextInt(MAX_ENTRIES + 1); entry > 0; entry--)
            {
                final int region = random.nextInt(next.length);
                if (64 + (next[region] + 1L) * (scatter.rowBytes() + 2) <= TARGET_BYTES)
                {
                    table.add(region, next[region]);
                    next[region] += i < from ? 0 : 1;
                }
            }
        }

        return from;
    }

    private void expect(final RowTable table, final int from, final RowScatter scatter, final byte[][] expected)
    {
        final int regions = scatter.targetRegions();
        for (int i = from; i < table.rows(); i++)
        {
            for (int entry = table.firstEntry(i); entry < table.firstEntry(i + 1); entry++)
            {
                final int region = table.region(entry);
                final int row = table.entryRow(entry);
                System.arraycopy(bytes, (int)(scatter.sourceBase() + table.row(i) * scatter.sourceStride()),
                    expected[region], (int)(scatter.targetBase(region) + row * scatter.targetStride(region)),
                    scatter.rowBytes());
                System.arraycopy(bytes, (int)(scatter.scalesBase() + table.row(i) * scatter.scalesStride()),
                    expected[regions + region],
                    (int)(scatter.scalesTargetBase(region) + row * scatter.scalesTargetStride(region)),
                    scatter.scalesBytes());
            }
        }
    }
}
