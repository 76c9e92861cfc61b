/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.launch.RankTask;
import dev.transload.cli.rank.MetricsServer;
import dev.transload.cli.rank.RankComposition;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.rendezvous.Rendezvous;

/** The main job of one rank in low-latency mode. */
public final class LowLatencyRank implements RankTask
{
    /** How this task is named to a process. */
    public static final String NAME = LowLatencyRank.class.getName();

    private static final ObjectMapper JSON = new ObjectMapper();

    @Override
    public JsonNode run(final RankPlace place, final JsonNode description)
    {
        final LowLatencyTask task = read(description);
        final LowLatencyConfig config = LowLatencyConfig.from(place.settings().config());
        try (CallInput input = task.load(config))
        {
            place.progress().step("connecting", 0, 1);
            final Rendezvous rendezvous = place.rendezvous().get();
            try (MetricsServer metrics = MetricsServer.open(place);
                LowLatencyEngine engine = RankComposition.lowLatencyEngine(config, rendezvous);
                LowLatencyExchange exchange = new LowLatencyExchange(place, task, input, engine, rendezvous))
            {
                metrics.serve(engine);
                return JSON.valueToTree(exchange.run());
            }
        }
    }

    private static LowLatencyTask read(final JsonNode description)
    {
        try
        {
            return JSON.treeToValue(description, LowLatencyTask.class);
        }
        catch (final JsonProcessingException ex)
        {
            throw new IllegalArgumentException("the task of this rank cannot be read", ex);
        }
    }
}
