/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.ScaleFormat;
import dev.transload.spi.RowList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Scalar kernels and all others on random shapes and values; a failure prints the seed, which repeats it alone. */
class SameBitsTest
{
    private static final int RUNS = 300;
    private static final int MIXED_RUNS = 40;
    private static final int MIXED_GROUPS = 400;
    private static final int MAX_HIDDEN = 7168;
    private static final int MAX_SOURCES = 16;
    private static final int SOURCE_BYTES = 20 * MAX_HIDDEN * Float.BYTES;
    private static final int TARGET_BYTES = MAX_HIDDEN * Float.BYTES + 64;

    /** Rows begin at any even byte: they overlap, as rows that are read only may. */
    private static final int STEP = 2;

    private static final int[] SPECIALS =
    {
        0x0000, 0x8000, 0x0001, 0x8001, 0x007F, 0x0080, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7F81, 0xFFC1, 0x7FC0
    };

    private final BufferRegion source = new BufferRegion(SOURCE_BYTES);
    private final BufferRegion bias = new BufferRegion(SOURCE_BYTES);
    private final BufferRegion target = new BufferRegion(TARGET_BYTES);
    private final BufferRegion scales = new BufferRegion(TARGET_BYTES);
    private final RowKernels scalar = Modes.open("scalar");
    private RowKernels other;

    @AfterEach
    void close()
    {
        scalar.close();
        if (null != other)
        {
            other.close();
        }
    }

    private static List<String> modes()
    {
        final List<String> modes = List.of(Modes.withAarch64());
        return modes.subList(1, modes.size());
    }

    @ParameterizedTest
    @MethodSource("modes")
    void shouldReduceToTheSameBits(final String mode)
    {
        other = Modes.open(mode);
        final RowTable table = scalar.allocateWeightedTable(1, MAX_SOURCES);
        for (long seed = 0; seed < Modes.share(mode, RUNS); seed++)
        {
            final Random random = new Random(seed);
            final boolean isOdd = random.nextBoolean();
            fill(source, random, isOdd);
            fill(bias, random, isOdd);
            final Reduction reduction = reduction(random);
            final int hidden = reduction.hidden();

            table.clear();
            table.beginRow(0);
            final int count = 0 == random.nextInt(5) ? 1 : random.nextInt(MAX_SOURCES + 1);
            for (int s = 0; s < count; s++)
            {
                final float weight = weight(random);
                table.add(0, row(random, hidden, reduction.sourceType(0).bytes()), weight);
            }

            final byte[] expected = reduced(scalar, reduction, table);
            assertArrayEquals(expected, reduced(other, reduction, table),
                "seed " + seed + ": hidden " + hidden + ", " + count + " sources " + reduction.sourceType(0) + " to " +
                reduction.targetType() + ", weighted " + reduction.isWeighted());
        }
    }

    /** So many bytes that their stores may go round the cache, to rows that begin anywhere in a line. */
    @ParameterizedTest
    @MethodSource("modes")
    void shouldReduceManyRowsToTheSameBits(final String mode)
    {
        other = Modes.open(mode);
        final int groups = 40;
        final RowTable table = scalar.allocateWeightedTable(groups, groups * MAX_SOURCES);
        for (final int hidden : new int[]{7168, 7096, 3336, 7160})
        {
            final Random random = new Random(hidden);
            fill(source, random, true);
            fill(bias, random, true);
            final int stride = hidden * Bf16.BYTES + (7160 == hidden ? 1 : 2);
            final BufferRegion sums = new BufferRegion(groups * stride);
            table.clear();
            for (int group = 0; group < groups; group++)
            {
                table.beginRow(group);
                for (int s = random.nextInt(4); s > 0; s--)
                {
                    table.add(0, row(random, hidden, 2), weight(random));
                }
            }

            final Reduction reduction = new Reduction().source(0, source, 0, STEP, ElementType.BF16)
                .target(sums, 0, stride, ElementType.BF16)
                .biases(bias, offset(random, groups * hidden, 1), null, 0, hidden / 2).hidden(hidden)
                .weighted(7096 == hidden);
            scalar.reduceRows(reduction, table, 0, groups);
            final byte[] expected = sums.bytes();
            sums.memory().put(0, new byte[expected.length]);
            other.reduceRows(reduction, table, 0, groups);
            assertArrayEquals(expected, sums.bytes(), "hidden " + hidden);
        }
    }

    /**
     * Groups that native sums take between others, more than their table holds, and one alone that it does not hold;
     * with scratch that is reused from group to group, at any byte, and sums that read what one before wrote there.
     */
    @ParameterizedTest
    @MethodSource("modes")
    void shouldReduceMixedGroupsToTheSameBits(final String mode)
    {
        other = Modes.open(mode);
        final RowTable table = scalar.allocateWeightedTable(MIXED_GROUPS, 2 * MIXED_GROUPS * MAX_SOURCES);
        final BufferRegion floats = new BufferRegion(SOURCE_BYTES);
        for (long seed = 0; seed < Modes.share(mode, MIXED_RUNS); seed++)
        {
            final Random random = new Random(seed);
            fill(source, random, true);
            fill(bias, random, false);
            fill(floats, random, false);
            final int hidden = 8 * (1 + random.nextInt(0 == seed % 2 ? 8 : 80));
            final ElementType targetType = 0 == random.nextInt(3) ? ElementType.F32 : ElementType.BF16;
            final int stride = hidden * targetType.bytes() + random.nextInt(4);
            final BufferRegion sums = new BufferRegion(MIXED_GROUPS * stride);
            mixedGroups(table, random, hidden);

            final Reduction reduction = new Reduction(3).source(0, source, 0, 1, ElementType.BF16)
                .source(1, bias, 0, 1, ElementType.BF16).source(2, floats, 0, 1, ElementType.F32)
                .partType(random.nextBoolean() ? ElementType.BF16 : ElementType.F32)
                .target(sums, 0, stride, targetType)
                .biases(random.nextBoolean() ? bias : null, anyRow(random, hidden, 2) / 2, null, 0, 3).hidden(hidden)
                .weighted(0 == random.nextInt(3));
            scalar.reduceRows(reduction, table, 0, MIXED_GROUPS);
            final byte[] expected = sums.bytes();
            sums.memory().put(0, new byte[expected.length]);
            other.reduceRows(reduction, table, 0, MIXED_GROUPS);
            assertArrayEquals(expected, sums.bytes(), "seed " + seed + ": hidden " + hidden + ", parts of " +
                reduction.partType() + " to " + targetType + ", weighted " + reduction.isWeighted());
        }
    }

    private static void mixedGroups(final RowTable table, final Random random, final int hidden)
    {
        table.clear();
        final int longest = random.nextInt(MIXED_GROUPS);
        for (int group = 0; group < MIXED_GROUPS; group++)
        {
            table.beginRow(group);
            final boolean hasFloats = 0 == random.nextInt(8);
            final boolean hasParts = 0 == random.nextInt(3);
            final int count = group == longest ? MIXED_GROUPS * MAX_SOURCES : random.nextInt(4);
            for (int s = 0; s < count; s++)
            {
                if (hasParts && (0 == s || random.nextBoolean()))
                {
                    table.beginPart();
                }

                final int region = random.nextInt(hasFloats ? 3 : 2);
                table.add(region, anyRow(random, hidden, 2 == region ? 4 : 2), weight(random));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    void shouldSumNothingOfATableWithABadRow(final String mode)
    {
        other = Modes.open(mode);
        final int hidden = 512;
        final int groups = 300;
        final RowTable table = scalar.allocateTable(groups, groups);
        final BufferRegion sums = new BufferRegion(groups * hidden * Bf16.BYTES);
        final Random random = new Random(1);
        fill(source, random, true);
        for (int group = 0; group < groups; group++)
        {
            table.beginRow(group);
            table.add(0, groups - 1 == group ? SOURCE_BYTES / STEP : row(random, hidden, 2));
        }

        final Reduction reduction = new Reduction().source(0, source, 0, STEP, ElementType.BF16)
            .target(sums, 0, hidden * Bf16.BYTES, ElementType.BF16).hidden(hidden);
        assertThrows(IndexOutOfBoundsException.class, () -> other.reduceRows(reduction, table, 0, groups));
        assertArrayEquals(new byte[sums.bytes().length], sums.bytes());

        reduction.source(0, source, 0, 1, ElementType.BF16);
        scalar.reduceRows(reduction, table, 100, 150);
        final byte[] expected = sums.bytes();
        sums.memory().put(0, new byte[expected.length]);
        other.reduceRows(reduction, table, 100, 150);
        assertArrayEquals(expected, sums.bytes());
    }

    private static float weight(final Random random)
    {
        return switch (random.nextInt(20))
        {
            case 0 -> Float.NaN;
            case 1, 2, 3 -> 1.0f;
            default -> random.nextFloat() * 2 - 1;
        };
    }

    private Reduction reduction(final Random random)
    {
        final int biases = random.nextInt(3);

        return new Reduction()
            .source(0, source, 0, STEP, random.nextBoolean() ? ElementType.BF16 : ElementType.F32)
            .target(target, 2L * random.nextInt(16), 0, random.nextBoolean() ? ElementType.BF16 : ElementType.F32)
            .biases(biases > 0 ? bias : null, offset(random, MAX_HIDDEN, 2), biases > 1 ? source : null,
                offset(random, MAX_HIDDEN, 2), 0)
            .hidden(8 * (1 + random.nextInt(random.nextBoolean() ? 16 : MAX_HIDDEN / 8)))
            .weighted(random.nextBoolean());
    }

    private static long offset(final Random random, final int hidden, final int elementBytes)
    {
        return 2L * random.nextInt((SOURCE_BYTES - hidden * elementBytes) / 2);
    }

    private static int row(final Random random, final int hidden, final int elementBytes)
    {
        return random.nextInt((SOURCE_BYTES - hidden * elementBytes) / STEP);
    }

    private static int anyRow(final Random random, final int hidden, final int elementBytes)
    {
        return random.nextInt(SOURCE_BYTES - hidden * elementBytes);
    }

    private byte[] reduced(final RowKernels kernels, final Reduction reduction, final RowTable table)
    {
        clear(target);
        kernels.reduceRows(reduction, table, 0, 1);

        return target.bytes();
    }

    @ParameterizedTest
    @MethodSource("modes")
    void shouldQuantizeToTheSameBits(final String mode)
    {
        other = Modes.open(mode);
        for (long seed = 0; seed < Modes.share(mode, RUNS); seed++)
        {
            final Random random = new Random(seed);
            fill(source, random, 0 == seed % 3);
            final int hidden = Fp8.GROUP * (1 + random.nextInt(MAX_HIDDEN / Fp8.GROUP));
            final ScaleFormat format = ScaleFormat.values()[random.nextInt(2)];
            final RowList rows = scalar.allocateRows(1);
            final RowList scaleRows = scalar.allocateRows(1);
            rows.set(0, offset(random, hidden, 2), random.nextInt(64));
            scaleRows.set(0, 0, 4L * random.nextInt(8));

            final byte[][] expected = quantized(scalar, rows, scaleRows, hidden, format);
            final byte[][] seen = quantized(other, rows, scaleRows, hidden, format);
            final String message = "seed " + seed + ": hidden " + hidden + ", " + format;
            assertArrayEquals(expected[0], seen[0], message);
            assertArrayEquals(expected[1], seen[1], message);
        }
    }

    private byte[][] quantized(
        final RowKernels kernels, final RowList rows, final RowList scaleRows, final int hidden,
        final ScaleFormat format)
    {
        clear(target);
        clear(scales);
        kernels.quantizeRows(source, target, rows, scales, scaleRows, 0, 1, hidden, format);

        return new byte[][]{target.bytes(), scales.bytes()};
    }

    @ParameterizedTest
    @MethodSource("modes")
    void shouldDequantizeToTheSameBits(final String mode)
    {
        other = Modes.open(mode);
        for (long seed = 0; seed < Modes.share(mode, RUNS); seed++)
        {
            final Random random = new Random(seed);
            fill(source, random, 0 == seed % 3);
            for (int i = 0; i < TARGET_BYTES; i += Float.BYTES)
            {
                scales.memory().putFloat(i, 0 == seed % 5 ? Float.POSITIVE_INFINITY : random.nextFloat() * 10);
            }

            final int hidden = Fp8.GROUP * (1 + random.nextInt(MAX_HIDDEN / Fp8.GROUP));
            final RowList rows = scalar.allocateRows(1);
            final RowList scaleRows = scalar.allocateRows(1);
            rows.set(0, offset(random, hidden, 1), 2L * random.nextInt(16));
            scaleRows.set(0, 4L * random.nextInt(8), 0);

            final byte[] expected = dequantized(scalar, rows, scaleRows, hidden);
            assertArrayEquals(
                expected, dequantized(other, rows, scaleRows, hidden), "seed " + seed + ": hidden " + hidden);
        }
    }

    private byte[] dequantized(
        final RowKernels kernels, final RowList rows, final RowList scaleRows, final int hidden)
    {
        clear(target);
        kernels.dequantizeRows(source, target, rows, scales, scaleRows, 0, 1, hidden);

        return target.bytes();
    }

    private static void fill(final BufferRegion region, final Random random, final boolean isOdd)
    {
        for (int i = 0; i < SOURCE_BYTES; i += Bf16.BYTES)
        {
            final int bits = isOdd && 0 == (random.nextInt() & 0x3F) ?
                SPECIALS[random.nextInt(SPECIALS.length)] :
                Bf16.fromFloat((random.nextInt() >> 8) * 1e-6f);
            region.memory().putShort(i, (short)bits);
        }
    }

    private static void clear(final BufferRegion region)
    {
        region.memory().put(0, new byte[TARGET_BYTES]);
    }
}
