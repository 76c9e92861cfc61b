/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import java.util.SplittableRandom;

/** The one source of chance of a fabric, so that a seed repeats a run. */
final class Chance
{
    private final SplittableRandom random;

    Chance(final long seed)
    {
        this.random = new SplittableRandom(seed);
    }

    int below(final int bound)
    {
        return bound <= 1 ? 0 : random.nextInt(bound);
    }

    boolean happens(final double probability)
    {
        return probability > 0 && random.nextDouble() < probability;
    }

    void garbage(final byte[] bytes)
    {
        for (int i = 0; i < bytes.length; i++)
        {
            bytes[i] = (byte)random.nextInt();
        }
    }
}
