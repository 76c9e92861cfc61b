/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.report;

import dev.transload.cli.input.TokenName;
import dev.transload.cli.rank.RankReport;
import dev.transload.cli.rank.RankReport.TokenReport;
import dev.transload.engine.TokenRoute;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The way of a token there and back, put together from what the ranks found in their tables.
 *
 * @param token   asked for.
 * @param node    of its source rank.
 * @param channel that it takes.
 * @param experts [K] that it selected, −1 for none.
 * @param hops    by node, in the order in which the partial sums are added up at the source rank.
 */
record TokenJourney(TokenName token, int node, int channel, int[] experts, List<Hop> hops)
{
    /**
     * A node that gets the token.
     *
     * @param stream   which carries it.
     * @param firstHop {@code none} to the own node; {@code direct}, or {@code staged} through host memory.
     * @param slot     of the relay's ring, null where there is no first hop.
     * @param arrivals by rank, in the order in which the relay sums what comes back.
     * @param sumSlot  of the ring at the source rank that gets the partial sum, null for the own node.
     */
    record Hop(TokenRoute.Stream stream, String firstHop, Integer slot, List<Arrival> arrivals, Integer sumSlot)
    {
    }

    /**
     * A rank that gets the token.
     *
     * @param rank      number.
     * @param experts   of the token's that it has, in the order of the selections.
     * @param rows      of its output; of several, it sums the answers in this order before they go back.
     * @param slot      of the ring that it came in, null where it was written to its place.
     * @param answerRow row that is read in place for the sum, null where the answer comes back in a ring.
     * @param answerSlot of that ring, at the relay.
     */
    record Arrival(
        int rank, List<Integer> experts, List<Integer> rows, Integer slot, Integer answerRow, Integer answerSlot)
    {
    }

    /** Of a run that was asked for one. */
    static Optional<TokenJourney> of(final Summary summary)
    {
        final List<RankReport> ranks = summary.ranks();
        final TokenReport asked = ranks.get(0).token();
        if (null == asked)
        {
            return Optional.empty();
        }

        final TokenReport home = ranks.get(asked.name().rank()).token();
        final TokenRoute.Source source = home.source();
        final boolean isStaged = !summary.scaleOut().kinds().contains(ranks.get(0).payloadKind());
        final List<Hop> hops = new ArrayList<>();
        for (final TokenRoute.Stream stream : source.streams())
        {
            hops.add(hop(ranks, home, stream, isStaged));
        }

        return Optional.of(
            new TokenJourney(home.name(), home.node(), source.channel(), source.experts(), hops));
    }

    private static Hop hop(
        final List<RankReport> ranks, final TokenReport home, final TokenRoute.Stream stream, final boolean isStaged)
    {
        final TokenRoute.Relay relay = ranks.get(stream.relay()).token().relay();
        final boolean isOwn = stream.node() == home.node();
        final List<Arrival> arrivals = new ArrayList<>();
        for (int i = 0; i < relay.places().size(); i++)
        {
            final int rank = relay.places().get(i).rank();
            if (arrivals.stream().noneMatch((arrival) -> arrival.rank() == rank))
            {
                arrivals.add(arrival(home, ranks.get(rank).token().output(), relay.places().get(i),
                    relay.inPlace()[i], isOwn));
            }
        }

        // Places of a row may be in the order of the selections; answers are summed by rank.
        arrivals.sort((a, b) -> Integer.compare(a.rank(), b.rank()));
        return new Hop(stream, isOwn ? "none" : isStaged ? "staged" : "direct", isOwn ? null : relay.row(), arrivals,
            isOwn ? null : summed(home, stream.relay(), relay.row()));
    }

    private static Arrival arrival(
        final TokenReport home, final TokenRoute.Output output, final TokenRoute.Place place, final boolean isInPlace,
        final boolean isOwn)
    {
        final int first = place.rank() * output.localExperts();
        final List<Integer> experts = Arrays.stream(home.source().experts())
            .filter((expert) -> expert >= first && expert < first + output.localExperts()).boxed().toList();
        return new Arrival(place.rank(), experts,
            Arrays.stream(output.rows()).filter((row) -> row >= 0).boxed().toList(),
            output.isDirect() ? null : output.slot(),
            !isInPlace ? null : isOwn ? summed(home, place.rank(), place.row()) : (Integer)place.row(),
            isInPlace ? null : output.slot());
    }

    /** The table of sums at home says what is read there, where one is kept; it has each rank once. */
    private static Integer summed(final TokenReport home, final int rank, final int otherwise)
    {
        return home.source().sums().stream().filter((sum) -> sum.rank() == rank).map(TokenRoute.Place::row).findFirst()
            .orElse(otherwise);
    }
}
