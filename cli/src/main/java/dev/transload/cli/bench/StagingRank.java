/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.launch.Progress;
import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.launch.RankTask;
import dev.transload.cli.program.BuildInfo;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Rows between a device and host memory as the engine stages them, in turn with large copies of the device's copy
 * engines: from the device, to the device, and both at once. One rank alone: nothing of it leaves the process.
 */
public final class StagingRank implements RankTask
{
    /** How this task is named to a process. */
    public static final String NAME = StagingRank.class.getName();

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int ROUNDS = 7;
    private static final double DIGITS = 1e6;
    private static final String STAGED = "GBps";
    private static final String COPY_ENGINE = "copy_engine_GBps";
    private static final List<Set<StagingRig.Way>> TRAFFICS = List.of(Set.of(StagingRig.Way.TO_HOST),
        Set.of(StagingRig.Way.TO_DEVICE), Set.of(StagingRig.Way.TO_HOST, StagingRig.Way.TO_DEVICE));

    @Override
    public JsonNode run(final RankPlace place, final JsonNode description) throws JsonProcessingException
    {
        final StagingTask task = JSON.treeToValue(description, StagingTask.class);
        try (StagingRig rig = new StagingRig(place.settings().engine()))
        {
            final Capabilities capabilities = rig.capabilities();
            final ObjectNode report = JSON.createObjectNode().put("transport", task.transport())
                .put("version", capabilities.version()).put("emulated", capabilities.has(Capability.EMULATED))
                .put("memory_kind", rig.kind().name()).put("device", rig.device()).put("channels", rig.channels())
                .put("chunk_bytes", rig.chunkBytes()).put("chunks_of_ring", rig.chunksOfRing());
            report.set("build", BuildInfo.own().json());
            final ArrayNode results = report.putArray("results");
            for (final Set<StagingRig.Way> ways : TRAFFICS)
            {
                measure(rig, ways, task.roundNs(), place.progress(), results.addObject());
            }

            // A bus that carries both ways at once may carry each more slowly than alone, by copy engines too.
            final double alone = (rate(results.get(0), COPY_ENGINE) + rate(results.get(1), COPY_ENGINE)) / 2;
            ((ObjectNode)results.get(2)).put("of_one_way", digits(rate(results.get(2), STAGED) / alone));
            return report;
        }
    }

    /** Interleaved, so that a busy machine slows both. */
    private static void measure(
        final StagingRig rig, final Set<StagingRig.Way> ways, final long roundNs, final Progress progress,
        final ObjectNode result)
    {
        final String name = ways.size() > 1 ? "both" : ways.iterator().next().toString();
        progress.step("staging, " + name, 0, 1);
        long chunks = 1;
        for (long ns = rig.stage(ways, chunks); ns < roundNs / 2; ns = rig.stage(ways, chunks))
        {
            chunks *= 2;
        }

        rig.copy(ways, chunks);
        final double bytes = (double)chunks * rig.chunkBytes();
        final double[] staged = new double[ROUNDS];
        final double[] copied = new double[ROUNDS];
        final double[] ratios = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++)
        {
            staged[round] = bytes / rig.stage(ways, chunks);
            copied[round] = bytes / rig.copy(ways, chunks);
            ratios[round] = staged[round] / copied[round];
        }

        result.put("direction", name).put("rounds", ROUNDS).put("bytes", (long)bytes)
            .put(STAGED, digits(median(staged))).put(COPY_ENGINE, digits(median(copied)))
            .put("of_copy_engine", digits(median(ratios)));
    }

    private static double rate(final JsonNode result, final String key)
    {
        return result.get(key).asDouble();
    }

    private static double median(final double[] values)
    {
        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static double digits(final double value)
    {
        return Math.round(value * DIGITS) / DIGITS;
    }
}
