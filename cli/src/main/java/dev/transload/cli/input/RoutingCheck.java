/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.input;

import dev.transload.cli.outcome.CommandException;
import dev.transload.reference.Routing;
import java.util.List;

/** Refuses routing that no engine could carry out; every sentence names rank, token, value and what is allowed. */
final class RoutingCheck
{
    private static final int HIDDEN_STEP = 8;
    private static final int FP8_HIDDEN_STEP = 128;
    private static final int MAX_TOPK = 128;

    /** What the keys max-experts and max-hidden allow at most; more would overflow long before they are asked. */
    private static final int MAX_SIZE = 1 << 20;

    /** Names the place of a token beside rank and token, e.g. by file and line. */
    @FunctionalInterface
    interface Place
    {
        String of(int rank, int token);
    }

    private RoutingCheck()
    {
    }

    static void sizes(final int experts, final int topk, final int hidden, final boolean isFp8)
    {
        if (experts < 1 || experts > MAX_SIZE)
        {
            throw CommandException.badInput(
                "--experts " + experts + " is not allowed: must be in [1, " + MAX_SIZE + "]");
        }

        if (topk < 1 || topk > MAX_TOPK)
        {
            throw CommandException.badInput(
                "--topk " + topk + " is not allowed: must be in [1, " + MAX_TOPK + "]");
        }

        if (topk > experts)
        {
            throw CommandException.badInput("top-" + topk + " of " + experts +
                " experts is not allowed: a token chooses each expert at most once, so K must be at most " + experts);
        }

        final int step = isFp8 ? FP8_HIDDEN_STEP : HIDDEN_STEP;
        if (hidden < step || hidden > MAX_SIZE || 0 != hidden % step)
        {
            throw CommandException.badInput("hidden = " + hidden + " is not allowed: must be a positive multiple of " +
                step + (isFp8 ? " with fp8" : "") + ", at most " + MAX_SIZE);
        }
    }

    static void choices(final List<Routing> routings, final int experts, final Place place)
    {
        for (int rank = 0; rank < routings.size(); rank++)
        {
            final Routing routing = routings.get(rank);
            for (int token = 0; token < routing.tokens(); token++)
            {
                choices(routing, rank, token, experts, place);
            }
        }
    }

    private static void choices(
        final Routing routing, final int rank, final int token, final int experts, final Place place)
    {
        for (int k = 0; k < routing.topk(); k++)
        {
            final long expert = routing.expert(token, k);
            if (expert < -1 || expert >= experts)
            {
                throw CommandException.badInput(place.of(rank, token) + "rank " + rank + ", token " + token +
                    ": expert " + expert + " is not allowed: must be in [0, " + experts + "), or -1 for no choice");
            }

            for (int earlier = 0; earlier < k; earlier++)
            {
                if (expert >= 0 && routing.expert(token, earlier) == expert)
                {
                    throw CommandException.badInput(place.of(rank, token) + "rank " + rank + ", token " + token +
                        ": expert " + expert + " is chosen twice (choices " + earlier + " and " + k +
                        "), at most once is allowed");
                }
            }
        }
    }
}
