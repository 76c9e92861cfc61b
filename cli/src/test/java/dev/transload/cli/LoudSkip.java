/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assumptions.abort;

/** Leaves a test out where the machine lacks something, so that nobody overlooks it. */
final class LoudSkip
{
    private static final String RULE = "=".repeat(80);

    private LoudSkip()
    {
    }

    static void because(final String reason)
    {
        final String skipped = "SKIPPED: " + reason;
        System.err.println(RULE + "\n" + skipped + "\n" + RULE);
        abort(skipped);
    }
}
