/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.outcome;

/** A number with its noun, for sentences: 1 channel, 2 channels. */
public final class Counted
{
    private Counted()
    {
    }

    /**
     * With the form that goes with the number.
     *
     * @param count number.
     * @param noun  in the singular; its plural ends in s.
     * @return e.g. {@code 2 channels}.
     */
    public static String of(final long count, final String noun)
    {
        return count + " " + noun + (1 == count ? "" : "s");
    }
}
