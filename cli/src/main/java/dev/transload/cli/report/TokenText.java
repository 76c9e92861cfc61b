/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.report;

import dev.transload.cli.report.TokenJourney.Arrival;
import dev.transload.cli.report.TokenJourney.Hop;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The way of a token for people. */
final class TokenText
{
    private TokenText()
    {
    }

    static List<String> of(final TokenJourney journey)
    {
        final int rank = journey.token().rank();
        final List<String> lines = new ArrayList<>();
        lines.add("token " + journey.token().token() + " of rank " + rank + " (node " + journey.node() +
            "), channel " + journey.channel() + ", experts " + Arrays.stream(journey.experts())
            .mapToObj((expert) -> expert < 0 ? "none" : String.valueOf(expert)).collect(Collectors.joining(", ")));
        if (journey.hops().isEmpty())
        {
            lines.add("  it selected no expert: it is sent nowhere, and its sum is zero");
            return lines;
        }

        journey.hops().forEach((hop) -> there(lines, hop, rank));
        lines.add("  way back:");
        journey.hops().forEach((hop) -> lines.add("    node " + hop.stream().node() + ": " + back(hop, rank)));
        lines.add("    rank " + rank + ": " + journey.hops().stream().map((hop) -> "node " + hop.stream().node())
            .collect(Collectors.joining(" + ")) + "; top-k weights are summed in the same order");
        return lines;
    }

    private static void there(final List<String> lines, final Hop hop, final int source)
    {
        lines.add("  node " + hop.stream().node() + ": position " + hop.stream().position() + " of " +
            hop.stream().rows() + " in the stream, " + (null == hop.slot() ?
            "no first hop: rank " + source + " reads its tensor" :
            "first hop " + hop.firstHop() + " to relay rank " + hop.stream().relay() + ", slot " + hop.slot() +
            " of ring " + hop.stream().index()));
        for (final Arrival arrival : hop.arrivals())
        {
            lines.add("    rank " + arrival.rank() + ": output " + named("row", arrival.rows()) + " for " +
                named("expert", arrival.experts()) + ", " + (null == arrival.slot() ? "written to its place" :
                "through slot " + arrival.slot() + " of the ring from rank " + hop.stream().relay()));
        }
    }

    private static String back(final Hop hop, final int source)
    {
        return "rank " + hop.stream().relay() + " sums " +
            hop.arrivals().stream().map(TokenText::answer).collect(Collectors.joining(" + ")) +
            (null == hop.sumSlot() ? "" : ", to slot " + hop.sumSlot() + " of the ring at rank " + source);
    }

    private static String answer(final Arrival arrival)
    {
        return "rank " + arrival.rank() + (null != arrival.answerRow() ? " row " + arrival.answerRow() :
            " " + (arrival.rows().size() > 1 ? "rows " + arrival.rows().stream().map(String::valueOf)
            .collect(Collectors.joining(" + ")) : "row " + arrival.rows().get(0)) + " by slot " + arrival.answerSlot());
    }

    private static String named(final String noun, final List<Integer> numbers)
    {
        return (1 == numbers.size() ? noun : noun + "s") + " " +
            numbers.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
}
