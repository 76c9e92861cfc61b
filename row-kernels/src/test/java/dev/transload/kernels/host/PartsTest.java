/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Sums in parts, of rows in several regions, beside a sum that is spelled out; a failure prints the seed. */
class PartsTest
{
    private static final int RUNS = 400;
    private static final int REGIONS = 5;

    /** Rows begin anywhere: they overlap, as rows that are read only may. */
    private static final int STEP = 4;

    private static final int MAX_HIDDEN = 1200;
    private static final int MAX_SOURCES = 12;
    private static final int REGION_BYTES = 3 * MAX_HIDDEN * Float.BYTES;
    private static final int[] SPECIALS =
    {
        0x0000, 0x8000, 0x0001, 0x8001, 0x0080, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7F81, 0xFFC1, 0x7FC0
    };

    private final BufferRegion[] regions = new BufferRegion[REGIONS];

    static String[] modes()
    {
        return Modes.offered();
    }

    @ParameterizedTest
    @MethodSource("modes")
    void shouldSumPartsAndRegionsAsTheReductionStates(final String mode)
    {
        for (int i = 0; i < REGIONS; i++)
        {
            regions[i] = new BufferRegion(REGION_BYTES);
        }

        try (RowKernels kernels = Modes.open(mode))
        {
            final RowTable table = kernels.allocateWeightedTable(1, MAX_SOURCES);
            for (long seed = 0; seed < RUNS; seed++)
            {
                final Random random = new Random(seed);
                fill(random);
                final BufferRegion target = new BufferRegion(MAX_HIDDEN * Float.BYTES);
                final Reduction reduction = reduction(random, target);
                group(table.clear(), reduction, random);

                final byte[] expected = expected(reduction, table);
                assertEquals(seed + 1, kernels.reduceRows(reduction, table, 0, 1));
                assertArrayEquals(expected, Arrays.copyOf(target.bytes(), expected.length), "seed " + seed);
            }
        }
    }

    private void fill(final Random random)
    {
        final boolean isOdd = random.nextBoolean();
        for (final BufferRegion region : regions)
        {
            for (int i = 0; i < REGION_BYTES; i += Bf16.BYTES)
            {
                region.memory().putShort(i, (short)(isOdd && 0 == random.nextInt(50) ?
                    SPECIALS[random.nextInt(SPECIALS.length)] : Bf16.fromFloat(random.nextInt(4001) / 64.0f - 31.0f)));
            }
        }
    }

    private Reduction reduction(final Random random, final BufferRegion target)
    {
        final int biases = random.nextInt(3);
        final boolean isMixed = 0 == random.nextInt(3);
        final ElementType type = type(random);
        final Reduction reduction = new Reduction(REGIONS)
            .target(target, 0, 0, type(random))
            .partType(type(random))
            .biases(biases > 0 ? regions[0] : null, 4L * random.nextInt(MAX_HIDDEN), biases > 1 ? regions[1] : null,
                4L * random.nextInt(MAX_HIDDEN), 0)
            .hidden(8 * (1 + random.nextInt(MAX_HIDDEN / 8)))
            .weighted(0 == random.nextInt(3));
        for (int i = 0; i < REGIONS; i++)
        {
            reduction.source(i, regions[i], 0, STEP, isMixed ? type(random) : type);
        }

        return reduction;
    }

    private static ElementType type(final Random random)
    {
        return 0 == random.nextInt(3) ? ElementType.F32 : ElementType.BF16;
    }

    private static void group(final RowTable table, final Reduction reduction, final Random random)
    {
        table.beginRow(0);
        final boolean hasParts = 0 != random.nextInt(5);
        final int count = random.nextInt(random.nextBoolean() ? 6 : MAX_SOURCES + 1);
        for (int s = 0; s < count; s++)
        {
            if (hasParts && (0 == s || random.nextBoolean()))
            {
                table.beginPart();
            }

            final int region = random.nextInt(REGIONS);
            final float weight = 0 == random.nextInt(20) ? Float.NaN : random.nextFloat() * 2 - 1;
            table.add(region, row(random, reduction, reduction.sourceType(region)), weight);
        }
    }

    private static int row(final Random random, final Reduction reduction, final ElementType type)
    {
        return random.nextInt((REGION_BYTES - reduction.hidden() * type.bytes()) / STEP);
    }

    private byte[] expected(final Reduction reduction, final RowTable table)
    {
        final int hidden = reduction.hidden();
        final boolean toBf16 = ElementType.BF16 == reduction.targetType();
        final ByteBuffer row =
            ByteBuffer.allocate(hidden * reduction.targetType().bytes()).order(ByteOrder.nativeOrder());
        for (int i = 0; i < hidden; i++)
        {
            final float sum = sum(reduction, table, i);
            if (toBf16)
            {
                row.putShort((short)Bf16.fromFloat(sum));
            }
            else
            {
                row.putFloat(Float.isNaN(sum) ? Float.intBitsToFloat(0x7FC00000) : sum);
            }
        }

        return row.array();
    }

    private static float sum(final Reduction reduction, final RowTable table, final int element)
    {
        final boolean isRounded = ElementType.BF16 == reduction.partType();
        float sum = 0.0f;
        if (null != reduction.bias0())
        {
            sum += bf16(reduction.bias0().hostView(0, REGION_BYTES), reduction.bias0Base(), element);
        }

        if (null != reduction.bias1())
        {
            sum += bf16(reduction.bias1().hostView(0, REGION_BYTES), reduction.bias1Base(), element);
        }

        for (int s = 0; s < table.entries();)
        {
            if (!table.beginsPart(s))
            {
                sum = added(sum, reduction, table, s++, element);
                continue;
            }

            float part = added(0.0f, reduction, table, s++, element);
            while (s < table.entries() && !table.beginsPart(s))
            {
                part = added(part, reduction, table, s++, element);
            }

            sum += isRounded ? Bf16.toFloat(Bf16.fromFloat(part)) : part;
        }

        return sum;
    }

    private static float added(
        final float sum, final Reduction reduction, final RowTable table, final int source, final int element)
    {
        final int region = table.region(source);
        final ByteBuffer memory = reduction.source(region).hostView(0, REGION_BYTES).order(ByteOrder.nativeOrder());
        final float value = ElementType.BF16 == reduction.sourceType(region) ?
            bf16(memory, (long)table.entryRow(source) * STEP, element) :
            memory.getFloat(table.entryRow(source) * STEP + element * Float.BYTES);

        return reduction.isWeighted() ? Math.fma(table.weight(source), value, sum) : sum + value;
    }

    private static float bf16(final ByteBuffer memory, final long offset, final int element)
    {
        return Bf16.toFloat(memory.order(ByteOrder.nativeOrder()).getShort((int)offset + element * Bf16.BYTES));
    }
}
