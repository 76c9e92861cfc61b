/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import java.util.Map;

/** Two ranks that exchange a value and say nothing, see {@link MemoryTest}. */
final class QuietMain
{
    private QuietMain()
    {
    }

    /**
     * Run.
     *
     * @param args transports of UCX.
     */
    public static void main(final String[] args)
    {
        try (Rank near = new Rank(0, Map.of("tls", args[0])); Rank far = new Rank(1, Map.of("tls", args[0])))
        {
            near.lane(far).exchange(1);
        }
    }
}
