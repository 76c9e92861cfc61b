/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.security.SecureRandom;

/** Random numbers that nobody else has, or can guess. */
public final class Identifiers
{
    private static final SecureRandom RANDOM = new SecureRandom();

    private Identifiers()
    {
    }

    /**
     * A number of 64 random bits.
     *
     * @return the number.
     */
    public static long random()
    {
        return RANDOM.nextLong();
    }

    /**
     * A random number of a range.
     *
     * @param origin least number.
     * @param bound  above the largest.
     * @return the number.
     */
    public static int random(final int origin, final int bound)
    {
        return RANDOM.nextInt(origin, bound);
    }
}
