/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.security.SecureRandom;

/** Generates random numbers that are unique in practice and that other users cannot guess. */
public final class Identifiers
{
    private static final SecureRandom RANDOM = new SecureRandom();

    private Identifiers()
    {
    }

    /**
     * Returns a number that consists of 64 random bits.
     *
     * @return random number.
     */
    public static long random()
    {
        return RANDOM.nextLong();
    }

    /**
     * Returns a random number in a range.
     *
     * @param origin smallest number, inclusive.
     * @param bound  upper bound, exclusive.
     * @return random number.
     */
    public static int random(final int origin, final int bound)
    {
        return RANDOM.nextInt(origin, bound);
    }
}
