/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.plan;

import dev.transload.cli.outcome.CommandException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A rate as makers of links write it: bytes or bits a second, with decimal prefixes. */
final class Bandwidth
{
    private static final Pattern TEXT = Pattern.compile("(\\d+(?:\\.\\d+)?) *([MGT])(B|bit|b)/s");
    private static final Map<String, Double> PREFIXES = Map.of("M", 1e6, "G", 1e9, "T", 1e12);
    private static final double BITS_OF_BYTE = 8;

    private Bandwidth()
    {
    }

    /**
     * Read one.
     *
     * @param option that it was given by.
     * @param text   e.g. {@code 50GB/s} or {@code 400Gbit/s}.
     * @return bytes a second.
     * @throws CommandException with exit code 2 for anything else.
     */
    static double parse(final String option, final String text)
    {
        final Matcher matcher = TEXT.matcher(text.strip());
        final double value = matcher.matches() ? Double.parseDouble(matcher.group(1)) *
            PREFIXES.get(matcher.group(2)) / ("B".equals(matcher.group(3)) ? 1 : BITS_OF_BYTE) : 0;
        if (value <= 0)
        {
            throw CommandException.badInput(
                option + " " + text + " is not allowed: must be a rate above 0 such as 50GB/s or 400Gbit/s");
        }

        return value;
    }
}
