/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.launch.RankTask;
import dev.transload.cli.lowlatency.LowLatencyRank;
import dev.transload.cli.rank.RunRank;
import dev.transload.rendezvous.Rendezvous;

/** One of the ranks of a bench of the engine: large puts between all ranks, then a run. */
public final class EngineBenchRank implements RankTask
{
    /** How this task is named to a process. */
    public static final String NAME = EngineBenchRank.class.getName();

    /** Of a rank's report. */
    static final String STREAM = "stream";

    /** Of a rank's report. */
    static final String RUN = "run";

    private static final ObjectMapper JSON = new ObjectMapper();

    @Override
    public JsonNode run(final RankPlace place, final JsonNode description) throws Exception
    {
        final EngineBenchTask task = JSON.treeToValue(description, EngineBenchTask.class);
        final Rendezvous rendezvous = place.rendezvous().get();
        final ObjectNode report = JSON.createObjectNode();
        report.set(STREAM, JSON.valueToTree(ExchangeRank.measure(place, rendezvous, task.stream())));
        final RankTask run = task.isLowLatency() ? new LowLatencyRank() : new RunRank();
        final RankPlace same = new RankPlace(place.rank(), place.settings(), () -> rendezvous, place.progress());
        return report.set(RUN, run.run(same, task.run()));
    }
}
