/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import java.util.List;
import java.util.function.Function;

/**
 * One thing to vary.
 *
 * @param name       for people, e.g. {@code scale-up.chunk}.
 * @param neighbours candidates that differ from a given one in this dimension alone, in the order to try them.
 */
record Dimension(String name, Function<Candidate, List<Candidate>> neighbours)
{
    /**
     * Without candidates that come to the same as the given one.
     *
     * @param name   for people.
     * @param around candidates around a given one.
     * @param values what a candidate comes to.
     */
    static Dimension of(
        final String name, final Function<Candidate, List<Candidate>> around, final Function<Candidate, ?> values)
    {
        return new Dimension(name, (from) ->
        {
            final Object same = values.apply(from);
            return around.apply(from).stream().filter((candidate) -> !same.equals(values.apply(candidate))).toList();
        });
    }

    List<Candidate> around(final Candidate from)
    {
        return neighbours.apply(from);
    }
}
