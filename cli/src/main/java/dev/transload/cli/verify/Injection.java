/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.verify;

import dev.transload.cli.input.RunInput;
import dev.transload.cli.outcome.CommandException;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Ways of spoiling one received row, to show that verification can fail. */
public enum Injection
{
    /** One bit of the row's payload is turned. */
    CORRUPT_ROW,
    /** The row and the next one change places. */
    SWAP_ROWS,
    /** The row is taken out, those behind it move up. */
    DROP_ROW;

    /** A swap needs two rows. */
    private static final int MIN_ROWS = 2;

    /**
     * By the name that options use.
     *
     * @param name e.g. {@code corrupt-row}.
     * @return injection.
     * @throws CommandException with exit code 2 for any other name.
     */
    public static Injection named(final String name)
    {
        for (final Injection injection : values())
        {
            if (injection.optionName().equals(name))
            {
                return injection;
            }
        }

        throw CommandException.badInput("--inject " + name + " is not allowed: must be one of " +
            Arrays.stream(values()).map(Injection::optionName).collect(Collectors.joining(", ")));
    }

    /**
     * The rank whose row is spoiled: the first that receives two rows.
     *
     * @param input of all ranks.
     * @return rank.
     * @throws CommandException with exit code 2 when there is none.
     */
    public static int target(final RunInput input)
    {
        final int[] rows = new int[input.world().ranks()];
        for (int source = 0; source < rows.length; source++)
        {
            final int[] perRank = input.world().layout(source).tokensPerRank();
            for (int rank = 0; rank < rows.length; rank++)
            {
                rows[rank] += perRank[rank];
            }
        }

        for (int rank = 0; rank < rows.length; rank++)
        {
            if (rows[rank] >= MIN_ROWS)
            {
                return rank;
            }
        }

        throw CommandException.badInput("--inject needs a rank that receives at least " + MIN_ROWS +
            " rows: this input has none");
    }

    /**
     * Spoil, on the rank whose turn it is.
     *
     * @param expectation of the rank.
     * @param outputs     of the rank, changed in place.
     * @return outputs to verify.
     */
    public Outputs spoil(final Expectation expectation, final Outputs outputs)
    {
        if (target(expectation.input()) != expectation.rank())
        {
            return outputs;
        }

        final int row = nextRow(expectation, outputs.rows() / 2);
        final DispatchOutput received = outputs.received();
        return switch (this)
        {
            case CORRUPT_ROW ->
            {
                HostRows.flipBit(received.x(), row);
                yield outputs;
            }
            case SWAP_ROWS ->
            {
                final int other = nextRow(expectation, row + 1);
                tensors(received).forEach((tensor) -> HostRows.swap(tensor, row, other));
                yield outputs;
            }
            case DROP_ROW ->
            {
                tensors(received).forEach((tensor) -> moveUp(tensor, row, outputs.rows()));
                yield new Outputs(outputs.rows() - 1, received, outputs.rowsPerExpert(), outputs.rankPrefixSum(),
                    outputs.combined(), outputs.combinedWeights());
            }
        };
    }

    /** The first row from there on, in a circle, that is no padding. */
    private static int nextRow(final Expectation expectation, final int from)
    {
        final int[] sources = expectation.dispatch().srcRank();
        int row = from % sources.length;
        while (sources[row] < 0)
        {
            row = (row + 1) % sources.length;
        }

        return row;
    }

    private static List<Tensor> tensors(final DispatchOutput received)
    {
        final List<Tensor> tensors = new ArrayList<>(
            List.of(received.x(), received.topkIdx(), received.topkWeights(), received.srcTokenIdx()));
        if (null != received.xScales())
        {
            tensors.add(received.xScales());
        }

        return tensors;
    }

    private static void moveUp(final Tensor tensor, final int hole, final int rows)
    {
        for (int row = hole; row < rows - 1; row++)
        {
            HostRows.row(tensor, row).put(HostRows.row(tensor, row + 1));
        }
    }

    private String optionName()
    {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
