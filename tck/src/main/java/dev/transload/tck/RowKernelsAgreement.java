/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.ScaleFormat;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Compares row kernels with the row kernels for host memory, bit for bit, on random shapes, offsets and values. These
 * tests complement the fixed vectors of {@link RowKernelsConformance}. A failure prints its seed.
 */
public abstract class RowKernelsAgreement
{
    private static final int RUNS = 100;
    /** Each has up to forty targets. */
    private static final int SCATTERS = 40;
    private static final int BYTES = 1 << 17;
    private static final int MAX_GROUPS = 24;
    private static final int MAX_SOURCES = 12;

    /** So few that kernels may have a faster way. */
    private static final int FEW_SOURCES = 6;

    private static final int MAX_REGIONS = 20;
    private static final int MAX_HIDDEN = 1288;

    /** Bound of bases, and of strides that are not those of a tensor. */
    private static final int MAX_PLACE = 2048;
    private static final int MAX_ROW = 1000;

    private final KernelsCase test;
    private final RowKernels kernels;
    private final RowKernels host;
    private final boolean isHostTaken;

    /**
     * Creates the tests for one fixture.
     *
     * @param fixture     fixture of the kernels under test.
     * @param host        reference kernels for host memory.
     * @param isHostTaken true if the kernels under test also accept unregistered host memory.
     */
    protected RowKernelsAgreement(final KernelsFixture fixture, final RowKernels host, final boolean isHostTaken)
    {
        this.test = new KernelsCase(fixture);
        this.kernels = test.kernels;
        this.host = host;
        this.isHostTaken = isHostTaken;
    }

    @AfterEach
    protected final void close()
    {
        host.close();
        test.close();
    }

    @Test
    protected final void shouldCopyAndZeroRowsOfAnyLengthAnywhere()
    {
        final byte[] bytes = bf16(new Random(1), false);
        for (final int length : new int[] {1, 7, 8, 15, 16, 24, 100, 3584, 3585, 7168, 9000, 17_000})
        {
            final Random random = new Random(length);
            final MemoryRegion source = memory(bytes, random.nextInt(2));
            final int count = 1 + random.nextInt(length > 9000 ? 6 : 12);
            final byte[] expected = bf16(random, false);
            final MemoryRegion target = memory(expected, random.nextInt(2));
            final RowList rows = kernels.allocateRows(2 * count).rowLength(length);
            for (int i = 0; i < count; i++)
            {
                final int from = random.nextInt(BYTES - length);
                final int to = i * (length + 1) + random.nextInt(2);
                rows.set(i, from, to);
                rows.set(count + i, -1, to);
                System.arraycopy(bytes, from, expected, to, length);
            }

            test.await(kernels.copyRows(source, target, rows, 0, count));
            assertArrayEquals(expected, test.read(target), "rows of " + length);
            test.await(kernels.zeroRows(target, rows, count + 1, count - 1));
            for (int i = 1; i < count; i++)
            {
                Arrays.fill(expected, (int)rows.dstOffset(i), (int)rows.dstOffset(i) + length, (byte)0);
            }

            assertArrayEquals(expected, test.read(target), "zeros of " + length);
        }
    }

    @Test
    protected final void shouldCopyPartsOfAnyLengthAnywhere()
    {
        final byte[] bytes = bf16(new Random(1), false);
        final MemoryRegion[] sources = {memory(bytes, 0), memory(bytes, 1)};
        final RowCopies copies = new RowCopies();
        for (long seed = 0; seed < RUNS; seed++)
        {
            final Random random = random(seed);
            final MemoryRegion[] targets = new MemoryRegion[1 + random.nextInt(3)];
            final byte[][] expected = new byte[targets.length][];
            for (int i = 0; i < targets.length; i++)
            {
                expected[i] = bf16(random, false);
                targets[i] = memory(expected[i], seed + i);
            }

            copies.clear();
            for (int parts = random.nextInt(1 + RowCopies.MAX_PARTS); parts > 0; parts--)
            {
                final int band = BYTES / RowCopies.MAX_PARTS;
                final int length = random.nextInt(random.nextBoolean() ? 32 : 2000);
                final int count = random.nextInt(4);
                final int target = random.nextInt(targets.length);
                final RowList rows = kernels.allocateRows(1 + count).rowLength(length);
                for (int i = 1; i <= count; i++)
                {
                    final int from = random.nextInt(BYTES - length);
                    final int to = (parts - 1) * band + (i - 1) * (length + 1) + random.nextInt(2);
                    rows.set(i, from, to);
                    System.arraycopy(bytes, from, expected[target], to, length);
                }

                copies.add(sources[random.nextInt(2)], targets[target], rows, 1, count);
            }

            test.await(kernels.copyRows(copies));
            assertEquals(seed + 1, kernels.position());
            for (int i = 0; i < targets.length; i++)
            {
                assertArrayEquals(expected[i], test.read(targets[i]), "seed " + seed + ", target " + i);
            }
        }
    }

    @Test
    protected final void shouldSumAsTheHostDoes()
    {
        sum(false);
    }

    /**
     * Tests sums of up to 6 aligned BF16 rows, grouped in parts ({@link RowTable#beginPart()}), and up to 2 biases.
     * Some parts have only one row. Kernels may use a special code path for these sums.
     */
    @Test
    protected final void shouldSumPartsOfFewRowsAsTheHostDoes()
    {
        sum(true);
    }

    private void sum(final boolean isFewParted)
    {
        final MemoryRegion[] there = new MemoryRegion[MAX_REGIONS];
        final MemoryRegion[] here = new MemoryRegion[MAX_REGIONS];
        for (int i = 0; i < MAX_REGIONS; i++)
        {
            final byte[] bytes = bf16(new Random(i), 0 == i % 3);
            there[i] = memory(bytes, i);
            here[i] = PlainRegion.host(bytes);
        }

        for (long seed = 0; seed < RUNS; seed++)
        {
            final RowTable table = kernels.allocateWeightedTable(MAX_GROUPS, MAX_GROUPS * MAX_SOURCES);
            final MemoryRegion target = memory(new byte[BYTES], seed);
            final MemoryRegion expected = PlainRegion.host(new byte[BYTES]);
            final Reduction reduction = reduction(random(seed), there, target, isFewParted);
            fill(table, random(seed), reduction, isFewParted);
            host.reduceRows(reduction(random(seed), here, expected, isFewParted), table, 0, table.rows());
            test.await(kernels.reduceRows(reduction, table, 0, table.rows()));

            final byte[] right = new byte[BYTES];
            expected.hostView(0, BYTES).get(right);
            assertArrayEquals(right, test.read(target), "seed " + seed + ", hidden " + reduction.hidden());
        }
    }

    /** Of the kernels' kind, or for each fifth number of the host. */
    private MemoryRegion memory(final byte[] bytes, final long number)
    {
        return isHostTaken && 0 == number % 5 ? PlainRegion.host(bytes) : test.filled(bytes);
    }

    private static Reduction reduction(
        final Random random, final MemoryRegion[] regions, final MemoryRegion target, final boolean isFewParted)
    {
        final int count = random.nextBoolean() ? 1 + random.nextInt(3) : MAX_REGIONS;
        final boolean isMixed = random.nextBoolean() && !isFewParted;
        final int biases = random.nextInt(3);
        final int step = random.nextBoolean() || isFewParted ? 16 : 2;
        final ElementType targetType = random.nextBoolean() ? ElementType.BF16 : ElementType.F32;
        final int hidden = 8 * (1 + random.nextInt(MAX_HIDDEN / 8));
        final Reduction reduction = new Reduction(count)
            .target(target, 0, (long)(hidden * targetType.bytes() + step - 1) / step * step, targetType)
            .partType(random.nextBoolean() ? ElementType.BF16 : ElementType.F32)
            .biases(biases > 0 ? regions[0] : null, place(random, step), biases > 1 ? regions[1] : null,
                place(random, step), place(random, step))
            .hidden(hidden)
            .weighted(random.nextBoolean());
        for (int i = 0; i < count; i++)
        {
            // Rows that are read only may overlap: a stride of one step gives any place.
            reduction.source(i, regions[i], place(random, step), 0 == random.nextInt(4) ? place(random, step) : step,
                isMixed && random.nextBoolean() ? ElementType.F32 : ElementType.BF16);
        }

        return reduction;
    }

    private static long place(final Random random, final int step)
    {
        return (long)step * random.nextInt(MAX_PLACE / step);
    }

    private static void fill(
        final RowTable table, final Random random, final Reduction reduction, final boolean isFewParted)
    {
        final boolean hasParts = random.nextBoolean() || isFewParted;
        final int most = random.nextBoolean() && !isFewParted ? MAX_SOURCES : FEW_SOURCES;
        final int groups = 1 + random.nextInt(Math.min(MAX_GROUPS, (int)(BYTES / reduction.targetStride())));
        table.clear();
        for (int i = 0; i < groups; i++)
        {
            table.beginRow(groups - 1 - i);
            final int sources = random.nextInt(most + 1);
            for (int s = 0; s < sources; s++)
            {
                if (hasParts && (0 == s || 0 == random.nextInt(3)))
                {
                    table.beginPart();
                }

                final int region = random.nextInt(reduction.sourceRegions());
                table.add(region, row(random, reduction, region), random.nextFloat() * 2 - 1);
            }
        }
    }

    private static int row(final Random random, final Reduction reduction, final int region)
    {
        final long room = BYTES - reduction.sourceBase(region) - (long)reduction.hidden() * Float.BYTES;
        return random.nextInt(1 + (int)Math.min(MAX_ROW, room / Math.max(1, reduction.sourceStride(region))));
    }

    @Test
    protected final void shouldScatterRowsOfAnyLengthAnywhere()
    {
        final byte[] bytes = bf16(new Random(1), false);
        final byte[] scaleBytes = bf16(new Random(2), false);
        final RowTable table = kernels.allocateTable(MAX_GROUPS, MAX_GROUPS * MAX_SOURCES);
        for (long seed = 0; seed < SCATTERS; seed++)
        {
            final Random random = random(seed);
            final int regions = random.nextBoolean() ? 1 + random.nextInt(3) : MAX_REGIONS;
            final int step = random.nextBoolean() ? 16 : 1;
            final int length = random.nextInt(random.nextBoolean() ? 40 : 9000) / step * step;
            final int scaleLength = random.nextBoolean() ? 0 : random.nextInt(300) / step * step;
            final RowScatter scatter = new RowScatter(regions).finalPlaces(random.nextBoolean())
                .source(memory(bytes, seed), place(random, step), step, length)
                .scales(memory(scaleBytes, seed + 1), place(random, step), step, scaleLength);
            final MemoryRegion[] targets = new MemoryRegion[2 * regions];
            final byte[][] expected = new byte[2 * regions][];
            for (int i = 0; i < 2 * regions; i++)
            {
                expected[i] = new byte[BYTES];
                random.nextBytes(expected[i]);
                targets[i] = memory(expected[i], seed + i);
            }

            for (int i = 0; i < regions; i++)
            {
                scatter.target(i, targets[i], place(random, step), length + (long)step * random.nextInt(2))
                    .scalesTarget(i, targets[regions + i], place(random, step), scaleLength);
            }

            final int from = scatter(table, random, scatter);
            expect(table, from, scatter, bytes, scaleBytes, expected);
            test.await(kernels.scatterRows(scatter, table, from, table.rows() - from));
            for (int i = 0; i < 2 * regions; i++)
            {
                assertArrayEquals(expected[i], test.read(targets[i]), "seed " + seed + ", target " + i +
                    ", rows of " + length + " and " + scaleLength);
            }
        }
    }

    /** Fill a table; the first rows, which are left out, go where others go. */
    private static int scatter(final RowTable table, final Random random, final RowScatter scatter)
    {
        final int regions = scatter.targetRegions();
        final int[] next = new int[regions];
        final int from = random.nextInt(3);
        table.clear();
        for (int i = 0, rows = from + random.nextInt(MAX_GROUPS - 3); i < rows; i++)
        {
            table.beginRow(random.nextInt(MAX_ROW));
            for (int entry = random.nextInt(FEW_SOURCES); entry > 0; entry--)
            {
                final int region = random.nextInt(regions);
                final long room = BYTES - scatter.targetBase(region) - scatter.rowBytes();
                if (next[region] * scatter.targetStride(region) <= room)
                {
                    table.add(region, next[region]);
                    next[region] += i < from ? 0 : 1;
                }
            }
        }

        return from;
    }

    private static void expect(
        final RowTable table, final int from, final RowScatter scatter, final byte[] bytes, final byte[] scaleBytes,
        final byte[][] expected)
    {
        for (int i = from; i < table.rows(); i++)
        {
            final int source = (int)(scatter.sourceBase() + table.row(i) * scatter.sourceStride());
            final int scales = (int)(scatter.scalesBase() + table.row(i) * scatter.scalesStride());
            for (int entry = table.firstEntry(i); entry < table.firstEntry(i + 1); entry++)
            {
                final int region = table.region(entry);
                final int row = table.entryRow(entry);
                System.arraycopy(bytes, source, expected[region],
                    (int)(scatter.targetBase(region) + row * scatter.targetStride(region)), scatter.rowBytes());
                System.arraycopy(scaleBytes, scales, expected[scatter.targetRegions() + region],
                    (int)(scatter.scalesTargetBase(region) + row * scatter.scalesTargetStride(region)),
                    scatter.scalesBytes());
            }
        }
    }

    @Test
    protected final void shouldCastAsTheHostDoes()
    {
        final RowList rows = kernels.allocateRows(2);
        final RowList scaleRows = kernels.allocateRows(2);
        for (long seed = 0; seed < RUNS; seed++)
        {
            final Random random = random(seed);
            final int hidden = Fp8.GROUP * (1 + random.nextInt(12));
            final ScaleFormat format = ScaleFormat.values()[random.nextInt(2)];
            final byte[] bytes = bf16(random, false);
            final MemoryRegion x = memory(bytes, seed);
            final MemoryRegion codes = memory(new byte[BYTES], seed + 1);
            final MemoryRegion back = memory(new byte[BYTES], seed + 2);
            final MemoryRegion scales = memory(new byte[BYTES], seed + 3);
            final MemoryRegion hostX = PlainRegion.host(bytes);
            final MemoryRegion hostCodes = PlainRegion.host(new byte[BYTES]);
            final MemoryRegion hostBack = PlainRegion.host(new byte[BYTES]);
            final MemoryRegion hostScales = PlainRegion.host(new byte[BYTES]);
            for (int i = 0; i < 2; i++)
            {
                rows.set(i, 2L * random.nextInt(9000), (long)i * (hidden + random.nextInt(9)));
                scaleRows.set(i, -1, 400L * i + 4 * random.nextInt(8));
            }

            host.quantizeRows(hostX, hostCodes, rows, hostScales, scaleRows, 0, 2, hidden, format);
            test.await(kernels.quantizeRows(x, codes, rows, scales, scaleRows, 0, 2, hidden, format));
            final String message = "seed " + seed + ": hidden " + hidden + ", " + format;
            assertSame(hostCodes, codes, message);
            assertSame(hostScales, scales, message);

            for (int i = 0; i < 2; i++)
            {
                rows.set(i, rows.dstOffset(i), (long)i * (2 * hidden + 2 * random.nextInt(9)));
                scaleRows.set(i, scaleRows.dstOffset(i), -1);
            }

            host.dequantizeRows(hostCodes, hostBack, rows, hostScales, scaleRows, 0, 2, hidden);
            test.await(kernels.dequantizeRows(codes, back, rows, scales, scaleRows, 0, 2, hidden));
            assertSame(hostBack, back, message);
        }
    }

    @Test
    protected final void shouldAllocateNothingInAnyOperation()
    {
        final MemoryRegion region = test.fixture.allocate(BYTES);
        final MemoryRegion known = PlainRegion.host(new byte[BYTES]);
        final RowList rows = kernels.allocateRows(1).rowLength(Fp8.GROUP);
        rows.set(0, 0, 4096);
        final RowCopies copies = new RowCopies().add(region, known, rows, 0, 1).add(known, region, rows, 0, 1);
        final RowTable table = kernels.allocateTable(1, 1);
        table.beginRow(0);
        table.add(0, 1);
        final Reduction reduction = new Reduction(MAX_REGIONS).target(known, 0, 0, ElementType.F32).hidden(8);
        final RowScatter scatter = new RowScatter(MAX_REGIONS).source(known, 0, 4096, Fp8.GROUP);
        for (int i = 0; i < MAX_REGIONS; i++)
        {
            reduction.source(i, region, 0, 4096, ElementType.BF16);
            scatter.target(i, region, 0, 4096);
        }

        final long least = Allocation.leastBytes(() ->
        {
            for (int k = 0; k < 500; k++)
            {
                kernels.copyRows(region, known, rows, 0, 1);
                kernels.copyRows(copies);
                kernels.zeroRows(region, rows, 0, 1);
                kernels.reduceRows(reduction, table, 0, 1);
                kernels.scatterRows(scatter, table, 0, 1);
                kernels.quantizeRows(region, region, rows, known, rows, 0, 1, Fp8.GROUP, ScaleFormat.AMAX);
                kernels.dequantizeRows(region, region, rows, known, rows, 0, 1, Fp8.GROUP);
                test.await(kernels.position());
            }
        });

        assertEquals(0, least, "bytes allocated by 3500 operations");
        assertTrue(kernels.position() >= 3500, "operations were refused");
    }

    private void assertSame(final MemoryRegion expected, final MemoryRegion seen, final String message)
    {
        final byte[] right = new byte[BYTES];
        expected.hostView(0, BYTES).get(right);
        assertArrayEquals(right, test.read(seen), message);
    }

    /** The first numbers of generators with small seeds are alike, hence the factor. */
    private static Random random(final long seed)
    {
        return new Random(seed * 0x9E37_79B9_7F4A_7C15L);
    }

    /** Rows of all binades; special ones have NaN and infinities, which are F32 NaN too. */
    private static byte[] bf16(final Random random, final boolean isSpecial)
    {
        final byte[] bytes = new byte[BYTES];
        for (int i = 0; i < BYTES; i += Short.BYTES)
        {
            final int bits = isSpecial && 0 == random.nextInt(64) ?
                0x7F80 | random.nextInt(2) << 15 | random.nextInt(4) :
                Float.floatToRawIntBits((float)(random.nextGaussian() * Math.pow(2, random.nextInt(20) - 10))) >>> 16;
            bytes[i] = (byte)bits;
            bytes[i + 1] = (byte)(bits >>> 8);
        }

        return bytes;
    }
}
