/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.ReductionList;
import dev.transload.kernels.RowKernels;
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
            final ReductionList list = kernels.allocateReduction(1, MAX_SOURCES);
            for (long seed = 0; seed < RUNS; seed++)
            {
                final Random random = new Random(seed);
                fill(random);
                final BufferRegion target = new BufferRegion(MAX_HIDDEN * Float.BYTES);
                final Reduction reduction = reduction(random, target);
                group(list.clear(), reduction, random);

                final byte[] expected = expected(reduction, list);
                assertEquals(seed + 1, kernels.reduceRows(reduction, list, 0, 1));
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
            .target(target, type(random))
            .partType(type(random))
            .biases(biases > 0 ? regions[0] : null, biases > 1 ? regions[1] : null)
            .hidden(8 * (1 + random.nextInt(MAX_HIDDEN / 8)))
            .weighted(0 == random.nextInt(3));
        for (int i = 0; i < REGIONS; i++)
        {
            reduction.source(i, regions[i], isMixed ? type(random) : type);
        }

        return reduction;
    }

    private static ElementType type(final Random random)
    {
        return 0 == random.nextInt(3) ? ElementType.F32 : ElementType.BF16;
    }

    private static void group(final ReductionList list, final Reduction reduction, final Random random)
    {
        list.beginGroup(0, offset(random, reduction, ElementType.BF16), offset(random, reduction, ElementType.BF16));
        final boolean hasParts = 0 != random.nextInt(5);
        final int count = random.nextInt(random.nextBoolean() ? 6 : MAX_SOURCES + 1);
        for (int s = 0; s < count; s++)
        {
            if (hasParts && (0 == s || random.nextBoolean()))
            {
                list.beginPart();
            }

            final int region = random.nextInt(REGIONS);
            final float weight = 0 == random.nextInt(20) ? Float.NaN : random.nextFloat() * 2 - 1;
            list.addSource(region, offset(random, reduction, reduction.sourceType(region)), weight);
        }
    }

    private static long offset(final Random random, final Reduction reduction, final ElementType type)
    {
        return 4L * random.nextInt((REGION_BYTES - reduction.hidden() * type.bytes()) / 4);
    }

    private byte[] expected(final Reduction reduction, final ReductionList list)
    {
        final int hidden = reduction.hidden();
        final boolean toBf16 = ElementType.BF16 == reduction.targetType();
        final ByteBuffer row =
            ByteBuffer.allocate(hidden * reduction.targetType().bytes()).order(ByteOrder.nativeOrder());
        for (int i = 0; i < hidden; i++)
        {
            final float sum = sum(reduction, list, i);
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

    private static float sum(final Reduction reduction, final ReductionList list, final int element)
    {
        final boolean isRounded = ElementType.BF16 == reduction.partType();
        float sum = 0.0f;
        if (null != reduction.bias0())
        {
            sum += bf16(reduction.bias0().hostView(0, REGION_BYTES), list.bias0Offset(0), element);
        }

        if (null != reduction.bias1())
        {
            sum += bf16(reduction.bias1().hostView(0, REGION_BYTES), list.bias1Offset(0), element);
        }

        for (int s = 0; s < list.sourceCount(0);)
        {
            if (!list.beginsPart(s))
            {
                sum = added(sum, reduction, list, s++, element);
                continue;
            }

            float part = added(0.0f, reduction, list, s++, element);
            while (s < list.sourceCount(0) && !list.beginsPart(s))
            {
                part = added(part, reduction, list, s++, element);
            }

            sum += isRounded ? Bf16.toFloat(Bf16.fromFloat(part)) : part;
        }

        return sum;
    }

    private static float added(
        final float sum, final Reduction reduction, final ReductionList list, final int source, final int element)
    {
        final int region = list.sourceRegion(source);
        final ByteBuffer memory = reduction.source(region).hostView(0, REGION_BYTES).order(ByteOrder.nativeOrder());
        final float value = ElementType.BF16 == reduction.sourceType(region) ?
            bf16(memory, list.sourceOffset(source), element) :
            memory.getFloat((int)list.sourceOffset(source) + element * Float.BYTES);

        return reduction.isWeighted() ? Math.fma(list.weight(source), value, sum) : sum + value;
    }

    private static float bf16(final ByteBuffer memory, final long offset, final int element)
    {
        return Bf16.toFloat(memory.order(ByteOrder.nativeOrder()).getShort((int)offset + element * Bf16.BYTES));
    }
}
