/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import java.security.SecureRandom;

/** Random numbers that nobody else has, or can guess. */
final class Identifiers
{
    private static final SecureRandom RANDOM = new SecureRandom();

    private Identifiers()
    {
    }

    static long random()
    {
        return RANDOM.nextLong();
    }

    static int randomStream()
    {
        return RANDOM.nextInt(1 << 16, Integer.MAX_VALUE);
    }
}
