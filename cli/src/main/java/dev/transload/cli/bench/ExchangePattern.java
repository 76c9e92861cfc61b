/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import dev.transload.cli.outcome.CommandException;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** Who puts to whom. */
enum ExchangePattern
{
    /** Rank r of P and rank r + P/2: of two nodes with as many ranks, each pair lies across them. */
    PAIRS,

    /** Each rank and all others. */
    ALL_TO_ALL;

    /**
     * By its name.
     *
     * @throws CommandException if there is none of that name.
     */
    static ExchangePattern named(final String name)
    {
        for (final ExchangePattern pattern : values())
        {
            if (pattern.toString().equals(name))
            {
                return pattern;
            }
        }

        throw CommandException.badInput("--pattern " + name + " is not allowed: must be pairs or all-to-all");
    }

    /** Peers of a rank, ascending. */
    int[] peers(final int rank, final int ranks)
    {
        return PAIRS == this ? new int[]{ (rank + ranks / 2) % ranks } :
            IntStream.range(0, ranks).filter((peer) -> peer != rank).toArray();
    }

    /** Which of the areas of a rank belongs to a peer. */
    int area(final int rank, final int peer)
    {
        return PAIRS == this ? 0 : peer < rank ? peer : peer - 1;
    }

    /** What is measured, one after the other. */
    List<Traffic> traffics()
    {
        return PAIRS == this ? List.of(Traffic.ONE_WAY, Traffic.BOTH_WAYS) : List.of(Traffic.ALL_TO_ALL);
    }

    @Override
    public String toString()
    {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Which ranks put at the same time. */
    enum Traffic
    {
        /** The first rank of each pair. */
        ONE_WAY,
        /** Both ranks of each pair. */
        BOTH_WAYS,
        /** All ranks. */
        ALL_TO_ALL;

        boolean isSender(final int rank, final int ranks)
        {
            return ONE_WAY != this || rank < ranks / 2;
        }

        boolean isReceiver(final int rank, final int ranks)
        {
            return ONE_WAY != this || rank >= ranks / 2;
        }

        @Override
        public String toString()
        {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }
}
