/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.verify.ExpertAnswers;
import dev.transload.cli.verify.Injection;

/** Spoils one received row of the last call, to show that verification can fail: see {@link Injection}. */
final class RowInjection
{
    /** A swap needs two rows. */
    private static final int MIN_ROWS = 2;

    private final Injection injection;
    private final CallExpectation expectation;

    RowInjection(final Injection injection, final CallExpectation expectation)
    {
        this.injection = injection;
        this.expectation = expectation;
    }

    /**
     * The rank whose row is spoiled: the first with an expert that receives two rows in the last call.
     *
     * @param input of all ranks.
     * @return rank.
     * @throws CommandException with exit code 2 when there is none.
     */
    static int target(final CallInput input)
    {
        // Who is sent how many rows depends on no answer.
        final ExpertAnswers answers =
            new ExpertAnswers(ExpertAnswers.ECHO, input.input().world().experts(), input.input().hidden());
        for (int rank = 0; rank < input.ranks(); rank++)
        {
            if (expert(new CallExpectation(input, rank, input.calls() - 1, answers)) >= 0)
            {
                return rank;
            }
        }

        throw CommandException.badInput("--inject needs an expert that receives at least " + MIN_ROWS +
            " rows in the last call: this input has none");
    }

    /**
     * Spoil, on the rank whose turn it is.
     *
     * @param outputs of the rank, changed in place.
     */
    void spoil(final CallOutputs outputs)
    {
        if (target(expectation.input()) != expectation.rank())
        {
            return;
        }

        final int expert = expert(expectation);
        final int rows = outputs.count(expert);
        switch (injection)
        {
            case CORRUPT_ROW -> outputs.flipBit(expert, rows / 2);
            case SWAP_ROWS -> outputs.swap(expert, 0, rows - 1);
            default ->
            {
                // Dropped: those behind it move up.
                for (int row = rows / 2; row < rows - 1; row++)
                {
                    outputs.swap(expert, row, row + 1);
                }

                outputs.setCount(expert, rows - 1);
            }
        }
    }

    /** The first expert with two rows, -1 where no expert of the rank has. */
    private static int expert(final CallExpectation expectation)
    {
        for (int expert = 0; expert < expectation.input().expertsPerRank(); expert++)
        {
            int rows = 0;
            for (int source = 0; source < expectation.input().ranks(); source++)
            {
                rows += expectation.tokens(expert, source).size();
            }

            if (rows >= MIN_ROWS)
            {
                return expert;
            }
        }

        return -1;
    }
}
