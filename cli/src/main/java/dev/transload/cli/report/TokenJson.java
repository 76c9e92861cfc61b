/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.report.TokenJourney.Arrival;
import dev.transload.cli.report.TokenJourney.Hop;

/** The way of a token for scripts: names are a contract. */
final class TokenJson
{
    private TokenJson()
    {
    }

    static void put(final ObjectNode node, final TokenJourney journey)
    {
        node.put("rank", journey.token().rank())
            .put("token", journey.token().token())
            .put("node", journey.node())
            .put("channel", journey.channel());
        final ArrayNode experts = node.putArray("experts");
        for (final int expert : journey.experts())
        {
            experts.add(expert);
        }

        final ArrayNode streams = node.putArray("streams");
        final ArrayNode sums = node.putArray("sums");
        for (final Hop hop : journey.hops())
        {
            putStream(streams.addObject(), hop);
            putSum(sums.addObject(), hop);
        }
    }

    private static void putStream(final ObjectNode node, final Hop hop)
    {
        node.put("node", hop.stream().node())
            .put("relay", hop.stream().relay())
            .put("stream", hop.stream().index())
            .put("position", hop.stream().position())
            .put("rows", hop.stream().rows())
            .put("first_hop", hop.firstHop())
            .put("slot", hop.slot());
        final ArrayNode ranks = node.putArray("ranks");
        for (final Arrival arrival : hop.arrivals())
        {
            final ObjectNode rank = ranks.addObject();
            rank.put("rank", arrival.rank());
            arrival.experts().forEach(rank.putArray("experts")::add);
            arrival.rows().forEach(rank.putArray("rows")::add);
            rank.put("placement", null == arrival.slot() ? "direct" : "ring").put("slot", arrival.slot());
        }
    }

    /** What a relay sums, in this order; at the source rank, nodes are added up in the order of their objects. */
    private static void putSum(final ObjectNode node, final Hop hop)
    {
        node.put("node", hop.stream().node()).put("summed_by", hop.stream().relay());
        final ArrayNode answers = node.putArray("answers");
        for (final Arrival arrival : hop.arrivals())
        {
            answers.addObject()
                .put("rank", arrival.rank())
                .put("row", arrival.answerRow())
                .put("slot", arrival.answerSlot());
        }

        node.put("slot", hop.sumSlot());
    }
}
