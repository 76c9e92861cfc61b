/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.input;

import dev.transload.reference.Bf16;

/**
 * Pseudo-random normal numbers, the same on every machine: SplitMix64 draws 16 bits, a table of quantiles turns them
 * into a number. The table is the inverse of the distribution function, integrated with strict arithmetic.
 */
final class NormalNumbers
{
    private static final int QUANTILES = 1 << 16;
    private static final int DRAWS_PER_WORD = 4;
    private static final double STEP = 1.0 / 4096;
    private static final float[] TABLE = quantiles();
    private static final short[] BF16_TABLE = rounded(TABLE);

    private long state;
    private long word;
    private int drawsLeft;

    /** A sequence of its own for each seed and pair of coordinates. */
    NormalNumbers(final long seed, final long first, final long second)
    {
        state = mix(mix(mix(seed) + first) + second);
    }

    float next()
    {
        if (0 == drawsLeft)
        {
            word = nextWord();
            drawsLeft = DRAWS_PER_WORD;
        }

        final int draw = (int)word & (QUANTILES - 1);
        word >>>= 16;
        drawsLeft--;
        return TABLE[draw];
    }

    /** What {@link #next} gives a new sequence, rounded to BF16, without a branch for each number. */
    void fillBf16(final short[] into)
    {
        for (int begin = 0; begin < into.length; begin += DRAWS_PER_WORD)
        {
            final long draws = nextWord();
            final int end = Math.min(begin + DRAWS_PER_WORD, into.length);
            for (int i = begin; i < end; i++)
            {
                into[i] = BF16_TABLE[(int)(draws >>> ((i - begin) * Short.SIZE)) & (QUANTILES - 1)];
            }
        }
    }

    private long nextWord()
    {
        state += 0x9E3779B97F4A7C15L;
        return mix(state);
    }

    /** Finalizer of SplitMix64. */
    private static long mix(final long value)
    {
        final long a = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        final long b = (a ^ (a >>> 27)) * 0x94D049BB133111EBL;
        return b ^ (b >>> 31);
    }

    /** Quantile (i + 0.5) / 2^16 for each i: the upper half by the trapezoidal rule from 0 on, the lower mirrored. */
    private static float[] quantiles()
    {
        final float[] table = new float[QUANTILES];
        final double scale = 1.0 / StrictMath.sqrt(2.0 * Math.PI);
        double x = 0.0;
        double below = 0.5;
        double density = scale;
        for (int i = QUANTILES / 2; i < QUANTILES; i++)
        {
            final double target = (i + 0.5) / QUANTILES;
            double area = 0.0;
            while (below + area < target)
            {
                below += area;
                x += STEP;
                final double next = scale * StrictMath.exp(-0.5 * x * x);
                area = 0.5 * (density + next) * STEP;
                density = next;
            }

            if (area > 0.0)
            {
                // The target lies in the last step: go back to where it began.
                x -= STEP;
                density = scale * StrictMath.exp(-0.5 * x * x);
            }

            final double quantile = x + (target - below) / density;
            table[i] = (float)quantile;
            table[QUANTILES - 1 - i] = -table[i];
        }

        return table;
    }

    private static short[] rounded(final float[] numbers)
    {
        final short[] rounded = new short[numbers.length];
        for (int i = 0; i < numbers.length; i++)
        {
            rounded[i] = Bf16.fromFloat(numbers[i]);
        }

        return rounded;
    }
}
