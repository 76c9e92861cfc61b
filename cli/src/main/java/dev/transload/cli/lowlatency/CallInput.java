/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import dev.transload.cli.input.RunInput;
import dev.transload.cli.outcome.CommandException;
import dev.transload.reference.E4m3;

/**
 * What all ranks send, cut into calls: call c has tokens c·M up to (c+1)·M of each rank, as far as it has them, so that
 * late calls of a rank with few tokens are empty.
 *
 * @param input     BF16 rows and routing of all ranks.
 * @param isFp8     whether rows are cast on the way.
 * @param maxTokens M.
 */
public record CallInput(RunInput input, boolean isFp8, int maxTokens) implements AutoCloseable
{
    private static final int MAX_TOPK = 32;

    /**
     * Refuses what low latency does not carry.
     *
     * @param input     BF16 rows and routing of all ranks; closed where it is refused.
     * @param isFp8     whether rows are cast on the way.
     * @param maxTokens M.
     * @return input.
     * @throws CommandException with exit code 2 naming what is not allowed.
     */
    static CallInput of(final RunInput input, final boolean isFp8, final int maxTokens)
    {
        final String refusal = input.isFp8() ?
            "the rows in --input are F8_E4M3, must be BF16; --dtype fp8 casts them on the way" :
            0 != input.hidden() % E4m3.GROUP ?
            "hidden = " + input.hidden() + " is not allowed: must be a positive multiple of " + E4m3.GROUP :
            input.topk() > MAX_TOPK ?
            "top-" + input.topk() + " is not allowed: must be at most top-" + MAX_TOPK : null;
        if (null != refusal)
        {
            input.close();
            throw CommandException.badInput("--mode low-latency: " + refusal);
        }

        return new CallInput(input, isFp8, maxTokens);
    }

    /**
     * The same calls of other rows: every element has the other sign.
     *
     * @return input over the same source of rows.
     */
    CallInput negated()
    {
        return new CallInput(input.negated(), isFp8, maxTokens);
    }

    @Override
    public void close()
    {
        input.close();
    }

    /**
     * Calls that carry all tokens of all ranks.
     *
     * @return at least 1.
     */
    public int calls()
    {
        int calls = 1;
        for (int rank = 0; rank < ranks(); rank++)
        {
            calls = Math.max(calls, (allTokens(rank) + maxTokens - 1) / maxTokens);
        }

        return calls;
    }

    public int ranks()
    {
        return input.world().ranks();
    }

    public int expertsPerRank()
    {
        return input.world().experts() / ranks();
    }

    /**
     * Tokens of a rank in a call.
     *
     * @param rank in [0, P).
     * @param call in [0, calls).
     * @return T in [0, M].
     */
    public int tokens(final int rank, final int call)
    {
        return Math.max(0, Math.min(maxTokens, allTokens(rank) - first(call)));
    }

    /**
     * Where a call begins.
     *
     * @param call in [0, calls).
     * @return number of its first token among all of a rank.
     */
    public int first(final int call)
    {
        return call * maxTokens;
    }

    private int allTokens(final int rank)
    {
        return input.world().routing(rank).tokens();
    }
}
