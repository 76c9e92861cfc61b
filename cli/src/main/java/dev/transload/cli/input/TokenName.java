/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.input;

import dev.transload.cli.outcome.CommandException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A token of a run, named {@code RANK:TOKEN}.
 *
 * @param rank  source rank.
 * @param token index on it.
 */
public record TokenName(int rank, int token)
{
    private static final Pattern FORM = Pattern.compile("(\\d{1,9}):(\\d{1,9})");

    /**
     * Parse.
     *
     * @param text  as given.
     * @param input which must have the token.
     * @return name.
     * @throws CommandException naming what is allowed.
     */
    public static TokenName of(final String text, final RunInput input)
    {
        final Matcher matcher = FORM.matcher(text);
        final int ranks = input.world().ranks();
        if (!matcher.matches())
        {
            throw refuse(text, "must be RANK:TOKEN, e.g. 0:17");
        }

        final TokenName name = new TokenName(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
        if (name.rank >= ranks)
        {
            throw refuse(text, "the rank must be in [0, " + ranks + ")");
        }

        final int tokens = input.world().routing(name.rank).tokens();
        if (name.token >= tokens)
        {
            throw refuse(text, 0 == tokens ? "rank " + name.rank + " has no tokens" :
                "the token must be in [0, " + tokens + "), which rank " + name.rank + " has");
        }

        return name;
    }

    private static CommandException refuse(final String text, final String allowed)
    {
        return CommandException.badInput("--explain " + text + " is not allowed: " + allowed);
    }
}
