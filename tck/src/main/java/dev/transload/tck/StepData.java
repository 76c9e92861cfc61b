/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.kernels.Fp8;
import dev.transload.kernels.ScaleFormat;
import dev.transload.kernels.StepPlacement;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntPredicate;

/** All ranks' inputs of one call, and by brute force what each of them must get. */
final class StepData
{
    private static final int NONE = -1;
    private static final int BF16_SHIFT = 16;
    private static final float FP8_LEAST_NORMAL = 0x1p-6f;
    private static final float FP8_STEP = 0x1p-9f;
    private static final int FP8_MANTISSA = 8;

    final int[] tokens;
    final short[][][] x;
    /** As they are given, wrong ones too. */
    final long[][] ids;
    final float[][] weights;
    /** What they select. */
    final int[][] expert;
    final int[] badIds;
    private final StepScenario scenario;
    private final long salt;

    /** A row that comes to an expert. */
    record Row(int source, int token)
    {
    }

    StepData(final StepScenario scenario, final int call)
    {
        this.scenario = scenario;
        this.salt = scenario.seed * 31 + call;
        final Random random = new Random(salt);
        final int ranks = scenario.ranks;
        tokens = new int[ranks];
        x = new short[ranks][][];
        ids = new long[ranks][];
        weights = new float[ranks][];
        expert = new int[ranks][];
        badIds = new int[ranks];
        for (int rank = 0; rank < ranks; rank++)
        {
            tokens[rank] = scenario.isEmptyRank && 0 == (rank + call) % 2 ? 0 : random.nextInt(scenario.maxTokens + 1);
            x[rank] = new short[tokens[rank]][];
            ids[rank] = new long[tokens[rank] * scenario.topk];
            weights[rank] = new float[ids[rank].length];
            expert[rank] = new int[ids[rank].length];
            for (int token = 0; token < tokens[rank]; token++)
            {
                x[rank][token] = row(random);
                choose(random, rank, token);
            }
        }
    }

    /** Of a rank's call. */
    void countIn(final StepCoverage coverage, final int rank, final int call)
    {
        coverage.addIf(badIds[rank] > 0, StepCoverage.Event.WRONG_IDS);
        coverage.addIf(scenario.isRagged && tokens[rank] < scenario.maxTokens, StepCoverage.Event.RAGGED_BATCH);
        coverage.addIf(0 == tokens[rank], StepCoverage.Event.NO_TOKENS);
        coverage.addIf(scenario.isReleased(call), StepCoverage.Event.NO_COMBINE);
        coverage.addIf(scenario.isWrap(call), StepCoverage.Event.TAG_WRAP);
        coverage.addIf(scenario.isFp8, StepCoverage.Event.FP8);
        coverage.addIf(StepPlacement.SLOTS == scenario.placement, StepCoverage.Event.SLOTS);
    }

    private short[] row(final Random random)
    {
        final short[] row = new short[scenario.hidden];
        for (int i = 0; i < row.length; i++)
        {
            row[i] = (short)(Float.floatToRawIntBits((float)random.nextGaussian()) >>> BF16_SHIFT);
        }

        return row;
    }

    private void choose(final Random random, final int rank, final int token)
    {
        final List<Integer> experts = new ArrayList<>();
        for (int i = 0; i < scenario.experts; i++)
        {
            experts.add(i);
        }

        final Set<Integer> chosen = new HashSet<>();
        for (int k = 0; k < scenario.topk; k++)
        {
            final int at = token * scenario.topk + k;
            weights[rank][at] = (float)random.nextGaussian();
            expert[rank][at] = NONE;
            if (random.nextDouble() < scenario.missing)
            {
                ids[rank][at] = -1 - random.nextInt(3);
            }
            else if (random.nextDouble() < scenario.wrong)
            {
                ids[rank][at] = chosen.isEmpty() || random.nextBoolean() ? scenario.experts + random.nextInt(5) :
                    chosen.iterator().next();
                badIds[rank]++;
            }
            else
            {
                expert[rank][at] = experts.remove(scenario.isHot ? 0 : random.nextInt(experts.size()));
                chosen.add(expert[rank][at]);
                ids[rank][at] = expert[rank][at];
            }
        }
    }

    /** Rows of a source that come to an expert, in the order in which they lie. */
    List<Row> rows(final int ofExpert, final int source)
    {
        final List<Row> rows = new ArrayList<>();
        for (int at = 0; at < expert[source].length; at++)
        {
            if (expert[source][at] == ofExpert)
            {
                rows.add(new Row(source, at / scenario.topk));
            }
        }

        return rows;
    }

    /** What an expert makes of a row: all rows of all experts differ. */
    short[] answer(final int ofExpert, final Row row)
    {
        return row(new Random(salt ^ ofExpert * 1_000_003L ^ row.source() * 7_919L ^ row.token() * 104_729L));
    }

    /** F32, fused, k ascending, from +0, rounded to BF16. */
    short[] combined(final int rank, final int token, final IntPredicate isLeftOut)
    {
        final float[] sum = new float[scenario.hidden];
        for (int k = 0; k < scenario.topk; k++)
        {
            final int at = token * scenario.topk + k;
            if (expert[rank][at] >= 0 && !isLeftOut.test(k))
            {
                final short[] answer = answer(expert[rank][at], new Row(rank, token));
                for (int i = 0; i < sum.length; i++)
                {
                    sum[i] = Math.fma(weights[rank][at], fromBf16(answer[i]), sum[i]);
                }
            }
        }

        final short[] row = new short[sum.length];
        for (int i = 0; i < row.length; i++)
        {
            row[i] = toBf16(sum[i]);
        }

        return row;
    }

    private static float fromBf16(final short bits)
    {
        return Float.intBitsToFloat(bits << BF16_SHIFT);
    }

    private static short toBf16(final float value)
    {
        final int bits = Float.floatToRawIntBits(value);
        return (short)(bits + 0x7FFF + (bits >>> BF16_SHIFT & 1) >>> BF16_SHIFT);
    }

    /** A row as it lies in an output. */
    byte[] stored(final Row row)
    {
        final short[] values = x[row.source()][row.token()];
        if (!scenario.isFp8)
        {
            return bytes(values);
        }

        final float[] scales = scales(row);
        final byte[] cast = new byte[values.length];
        for (int i = 0; i < cast.length; i++)
        {
            final float value = fromBf16(values[i]);
            final int group = i / Fp8.GROUP;
            cast[i] = toFp8(ScaleFormat.AMAX == scenario.format ? value * (Fp8.MAX / amax(values, group)) :
                value / scales[group]);
        }

        return cast;
    }

    /** F32, one for each group. */
    float[] scales(final Row row)
    {
        final short[] values = x[row.source()][row.token()];
        final float[] scales = new float[Fp8.scales(values.length)];
        for (int group = 0; group < scales.length; group++)
        {
            final float amax = amax(values, group);
            scales[group] = amax * (1 / Fp8.MAX);
            if (ScaleFormat.POWER_OF_TWO == scenario.format)
            {
                double power = Float.MIN_NORMAL;
                while (power < (double)amax / Fp8.MAX)
                {
                    power *= 2;
                }

                scales[group] = (float)power;
            }
        }

        return scales;
    }

    private static float amax(final short[] values, final int group)
    {
        float amax = Fp8.AMAX_FLOOR;
        for (int i = group * Fp8.GROUP; i < (group + 1) * Fp8.GROUP; i++)
        {
            amax = Math.max(amax, Math.abs(fromBf16(values[i])));
        }

        return amax;
    }

    /** To the nearest, ties to even, saturated. */
    private static byte toFp8(final float value)
    {
        final float magnitude = Math.min(Math.abs(value), Fp8.MAX);
        final int exponent = magnitude < FP8_LEAST_NORMAL ? -6 : Math.getExponent(magnitude);
        // Units of the last place from the beginning of the binade, 8 of which are the next one.
        final float unit = FP8_STEP * (float)Math.scalb(1.0, exponent + 6);
        final int units = (int)Math.rint((double)magnitude / unit);
        final int bits = magnitude < FP8_LEAST_NORMAL ? units :
            (exponent + 6) * FP8_MANTISSA + units;
        return (byte)(bits | (Float.floatToRawIntBits(value) >>> 24 & 0x80));
    }

    static byte[] bytes(final short[] values)
    {
        final ByteBuffer buffer = ByteBuffer.allocate(values.length * Short.BYTES).order(ByteOrder.nativeOrder());
        buffer.asShortBuffer().put(values);
        return buffer.array();
    }
}
