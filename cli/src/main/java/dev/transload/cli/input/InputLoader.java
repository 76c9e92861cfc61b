/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.input;

import dev.transload.cli.outcome.CommandException;
import dev.transload.engine.WorldConfig;
import dev.transload.reference.ReferenceWorld;
import dev.transload.reference.Routing;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** From options to a checked input. */
public final class InputLoader
{
    /** Experts and choices of random routing unless chosen. */
    private static final int DEFAULT_EXPERTS = 256;
    private static final int DEFAULT_TOPK = 8;

    /** Of all ranks' tokens together, which are counted by int. */
    private static final int MAX_CHOICES = Integer.MAX_VALUE;

    private final InputOptions options;
    private final WorldConfig world;

    private InputLoader(final InputOptions options, final WorldConfig world)
    {
        this.options = options;
        this.world = world;
    }

    /**
     * Read, make and check what all ranks send.
     *
     * @param options choices.
     * @param world   ranks of the nodes.
     * @return input to close.
     * @throws CommandException with exit code 2 for all that is wrong with it.
     */
    public static RunInput load(final InputOptions options, final WorldConfig world)
    {
        return new InputLoader(options, world).load();
    }

    private RunInput load()
    {
        final boolean isTrace = null == options.tokens() && null == options.input();
        final int sources = (null == options.trace() ? 0 : 1) + (null == options.tokens() ? 0 : 1) +
            (null == options.input() ? 0 : 1);
        if (sources > 1)
        {
            throw CommandException.badInput("--trace, --tokens and --input exclude each other: one of them is allowed");
        }

        options.checkedDtype();
        return isTrace ? fromTrace() : null != options.tokens() ? fromGating() : fromFiles();
    }

    private RunInput fromTrace()
    {
        final Trace trace =
            null == options.trace() ? TraceReader.readShipped() : TraceReader.read(Path.of(options.trace()));
        final int experts = orElse(options.experts(), trace.experts());
        if (0 == experts && null == options.experts())
        {
            throw CommandException.badInput(trace.name() + " doesn't say num_experts: --experts must give it");
        }

        final int topk = firstChoices(trace.topk(), "the trace");
        final int hidden = orElse(options.hidden(), InputOptions.DEFAULT_HIDDEN);
        final boolean isFp8 = InputOptions.FP8.equals(options.dtype());
        RoutingCheck.sizes(experts, topk, hidden, isFp8);

        final int ranks = world.size();
        final List<Routing> routings = trace.deal(ranks, topk);
        RoutingCheck.choices(routings, experts, (rank, token) ->
            trace.name() + " line " + trace.lines()[trace.begin(rank, ranks) + token] + ": ");

        return input(experts, hidden, isFp8, routings, randomRows(hidden, isFp8), trace.name());
    }

    private RunInput fromGating()
    {
        final int experts = orElse(options.experts(), DEFAULT_EXPERTS);
        final int topk = orElse(options.topk(), Math.min(DEFAULT_TOPK, Math.max(1, experts)));
        final int hidden = orElse(options.hidden(), InputOptions.DEFAULT_HIDDEN);
        final boolean isFp8 = InputOptions.FP8.equals(options.dtype());
        RoutingCheck.sizes(experts, topk, hidden, isFp8);
        final int ranks = world.size();
        final int maxTokens = MAX_CHOICES / topk / ranks;
        if (options.tokens() < 0 || options.tokens() > maxTokens)
        {
            throw CommandException.badInput("--tokens " + options.tokens() + " is not allowed: must be in [0, " +
                maxTokens + "] for " + ranks + " ranks and top-" + topk);
        }

        final GatedRouting gating = new GatedRouting(world, experts, topk);
        final List<Routing> routings = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++)
        {
            routings.add(gating.route(options.seed(), rank, options.tokens()));
        }

        return input(experts, hidden, isFp8, routings, randomRows(hidden, isFp8),
            options.tokens() + " gated tokens a rank, seed " + options.seed());
    }

    private RunInput fromFiles()
    {
        final TensorFiles files = TensorFiles.open(Path.of(options.input()), world.size());
        try
        {
            if (files.isStoredAsFp8() && InputOptions.BF16.equals(options.dtype()))
            {
                throw CommandException.badInput("--dtype bf16: the rows in --input are F8_E4M3, leave --dtype out");
            }

            if (null != options.hidden() && options.hidden() != files.hidden())
            {
                throw CommandException.badInput(
                    "--hidden " + options.hidden() + ": the rows in --input have " + files.hidden() + " elements");
            }

            final int experts = orElse(options.experts(), files.experts());
            if (0 == experts && null == options.experts())
            {
                throw CommandException.badInput("the files in --input don't say num_experts: --experts must give it");
            }

            final int topk = firstChoices(files.topk(), "--input");
            final boolean isFp8 = files.isStoredAsFp8() || InputOptions.FP8.equals(options.dtype());
            RoutingCheck.sizes(experts, topk, files.hidden(), isFp8);
            if (isFp8)
            {
                files.castToFp8();
            }

            final List<Routing> routings = files.routings(topk);
            RoutingCheck.choices(routings, experts, (rank, token) -> TensorFiles.fileName(rank) + ": ");

            return input(experts, files.hidden(), isFp8, routings, files, options.input());
        }
        catch (final CommandException ex)
        {
            files.close();
            throw ex;
        }
    }

    private RunInput input(
        final int experts,
        final int hidden,
        final boolean isFp8,
        final List<Routing> routings,
        final RowSource rows,
        final String origin)
    {
        return new RunInput(new ReferenceWorld(world.ranksOfNodes(), experts, routings), experts,
            routings.get(0).topk(), hidden, isFp8, rows, origin);
    }

    private RowSource randomRows(final int hidden, final boolean isFp8)
    {
        return new RandomRows(options.seed(), hidden, isFp8);
    }

    private int firstChoices(final int available, final String where)
    {
        final int topk = orElse(options.topk(), available);
        if (topk > available)
        {
            throw CommandException.badInput("--topk " + topk + " is not allowed: " + where + " has " + available +
                " choices a token, so 1 to " + available + " are");
        }

        return topk;
    }

    private static int orElse(final Integer chosen, final int otherwise)
    {
        return null == chosen ? otherwise : chosen;
    }
}
