/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import dev.transload.cli.outcome.CommandException;
import java.util.Locale;

/** What of the engine is measured. */
enum EngineMode
{
    /** Of the normal mode. */
    DISPATCH,
    /** Of the normal mode. */
    COMBINE,
    /** A dispatch and a combine of the low-latency mode. */
    LOW_LATENCY;

    /**
     * By its name.
     *
     * @throws CommandException if there is none of that name.
     */
    static EngineMode named(final String name)
    {
        for (final EngineMode mode : values())
        {
            if (mode.toString().equals(name))
            {
                return mode;
            }
        }

        throw CommandException.badInput(
            "--mode " + name + " is not allowed: must be put, dispatch, combine or low-latency");
    }

    @Override
    public String toString()
    {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
