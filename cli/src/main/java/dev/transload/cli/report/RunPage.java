/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.page.Percentiles;
import dev.transload.cli.rank.RankReport;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** What the page of a run draws: the summary for scripts, and the samples behind it. */
public final class RunPage
{
    /** More than this tell no more at the width of a page. */
    static final int MOST_POINTS = 4000;

    private static final double NS_PER_MICRO = 1e3;
    private static final int VALUE_DIGITS = 3;

    /** What a role works for; a role that isn't listed is shown apart. */
    private static final Map<String, String> STAGES = Map.ofEntries(
        Map.entry("notifier", "notify"),
        Map.entry("clear-to-send", "notify"),
        Map.entry("sender", "dispatch, scale-out"),
        Map.entry("sender-coordinator", "dispatch, scale-out"),
        Map.entry("forwarder", "dispatch, scale-up"),
        Map.entry("forwarder-coordinator", "dispatch, scale-up"),
        Map.entry("receiver", "dispatch, scale-up"),
        Map.entry("combine-sender", "combine, scale-up"),
        Map.entry("combine-forwarder", "combine, scale-out"),
        Map.entry("combine-receiver", "combine, scale-out"));

    private RunPage()
    {
    }

    /** Title of the page. */
    public static String title(final Summary summary)
    {
        final RunHeader header = summary.header();
        return "Transload run: " + header.world().nodes() + " × " + header.world().ranksPerNode() + " ranks" +
            (summary.isEmulated() ? ", emulated" : "");
    }

    /**
     * The summary, and beside its figures: of each call the slowest rank's samples, by iteration and as percentiles;
     * of each role its stage; of each rank its own medians.
     */
    public static ObjectNode data(final Summary summary)
    {
        final ObjectNode data = SummaryJson.of(summary).put("page", "run");
        putSamples(data.at("/dispatch/micros"), summary.dispatch().slowestNs());
        putSamples(data.at("/combine/micros"), summary.combine().slowestNs());
        data.get("roles").properties().forEach((role) ->
            ((ObjectNode)role.getValue()).put("stage", STAGES.getOrDefault(role.getKey(), "other")));
        for (int rank = 0; rank < summary.ranks().size(); rank++)
        {
            final RankReport report = summary.ranks().get(rank);
            ((ObjectNode)data.get("ranks").get(rank)).putObject("median_micros")
                .put("dispatch", median(report, report.dispatchNs()))
                .put("combine", median(report, report.combineNs()));
        }

        return data;
    }

    private static double median(final RankReport report, final long[] ns)
    {
        return CallFigures.of(ns, Summary.interrupted(List.of(report)), 0, 0).medianMicros();
    }

    /** Of a long run, each point is the slowest of equally many iterations, so that no outlier is lost. */
    private static void putSamples(final JsonNode micros, final long[] slowestNs)
    {
        final int step = (slowestNs.length + MOST_POINTS - 1) / MOST_POINTS;
        final Histogram histogram = new Histogram(VALUE_DIGITS);
        final ArrayNode points = ((ObjectNode)micros).put("iterations_per_point", step).putArray("by_iteration");
        for (int begin = 0; begin < slowestNs.length; begin += step)
        {
            long most = 0;
            for (int i = begin; i < Math.min(begin + step, slowestNs.length); i++)
            {
                histogram.recordValue(slowestNs[i]);
                most = Math.max(most, slowestNs[i]);
            }

            points.add(most / NS_PER_MICRO);
        }

        ((ObjectNode)micros).set("percentiles", Percentiles.of(histogram));
    }
}
