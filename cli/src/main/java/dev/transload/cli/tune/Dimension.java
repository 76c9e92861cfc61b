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
    List<Candidate> around(final Candidate from)
    {
        return neighbours.apply(from);
    }
}
