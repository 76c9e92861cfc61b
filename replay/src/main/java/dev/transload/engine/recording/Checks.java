/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.recording;

import dev.transload.engine.BadInputException;
import java.util.List;

/** Refusals of values that no world has. */
final class Checks
{
    /** So that a replay of a second is no replay of an hour, or of more memory than there is. */
    private static final long MAX_BYTES = 1L << 29;
    private static final int MAX_RANKS = 64;

    private Checks()
    {
    }

    static void require(final boolean isSo, final String key, final String found, final String allowed)
    {
        if (!isSo)
        {
            throw new BadInputException(key + " " + found + ": must be " + allowed);
        }
    }

    static void among(final String key, final Object value, final Object... allowed)
    {
        require(List.of(allowed).contains(value), key, "= " + value + " is not allowed",
            "one of " + List.of(allowed));
    }

    static void range(final String key, final long value, final long least, final long most)
    {
        require(value >= least && value <= most, key, "= " + value + " is not allowed",
            "in [" + least + ", " + most + "]");
    }

    static void share(final String key, final double value)
    {
        require(value >= 0 && value <= 1, key, "= " + value + " is not allowed", "in [0, 1]");
    }

    /** Returns the number of ranks. */
    static int world(final List<Integer> ranksPerNode)
    {
        require(!ranksPerNode.isEmpty(), "world.ranks_per_node", "is empty", "ranks of each node");
        long ranks = 0;
        for (final Integer each : ranksPerNode)
        {
            require(null != each && each >= 1 && each <= MAX_RANKS, "world.ranks_per_node", "has a node of " + each +
                " ranks", "1 to " + MAX_RANKS);
            ranks += each;
        }

        require(ranks <= MAX_RANKS, "world.ranks_per_node", "has " + ranks + " ranks", "at most " + MAX_RANKS);
        return (int)ranks;
    }

    static void model(final int experts, final int topk, final int hidden, final String dtype)
    {
        range("input.experts", experts, 1, 1 << 16);
        range("input.topk", topk, 1, Math.min(experts, 64));
        range("input.hidden", hidden, 8, 1 << 16);
        among("input.dtype", dtype, "bf16", "fp8");
        final int step = "fp8".equals(dtype) ? 128 : 8;
        require(0 == hidden % step, "input.hidden", "= " + hidden + " is not allowed", "a multiple of " + step);
    }

    static void oneOf(final Object drawn, final Object routes)
    {
        require(null == drawn ^ null == routes, "input", "has drawn and routes, or neither", "one of them, and null " +
            "for the other");
    }

    static void size(final String key, final long rows, final int hidden)
    {
        require(rows * hidden * Short.BYTES <= MAX_BYTES, key, "has " + rows + " rows of " + hidden + " elements",
            "at most " + MAX_BYTES + " bytes: a replay moves them piece by piece");
    }
}
