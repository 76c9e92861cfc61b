/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.launch.RankTask;
import dev.transload.rendezvous.Rendezvous;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** One of the ranks of a bench. */
public final class BenchRank implements RankTask
{
    /** How this task is named to a process. */
    public static final String NAME = BenchRank.class.getName();

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LONGEST = Duration.ofMinutes(10);
    private static final int SPINS = 50;

    @Override
    public JsonNode run(final RankPlace place, final JsonNode description) throws JsonProcessingException
    {
        final BenchTask task = JSON.treeToValue(description, BenchTask.class);
        final Rendezvous rendezvous = place.rendezvous().get();
        final ObjectNode report = task.pair() ? pair(place, rendezvous, task) : JSON.createObjectNode();
        if (!report.isEmpty())
        {
            final ObjectNode measured = report.deepCopy();
            place.progress().checkpoint(() -> measured);
        }

        final long bytes = LowLatencyText.bytes(rendezvous.worldSize()) / rendezvous.worldSize();
        if (task.calls() && !BenchMemory.isThere(place, rendezvous, task, bytes))
        {
            report.put("low_latency_needs_bytes", bytes);
        }
        else if (task.calls())
        {
            try (LowLatencyBench bench = new LowLatencyBench(place, rendezvous, task))
            {
                report.set("low_latency", bench.run((until) ->
                {
                    final ObjectNode measured = report.deepCopy().set("low_latency", until);
                    place.progress().checkpoint(() -> measured);
                }));
                rendezvous.allGather("bench.low-latency.done", ByteBuffer.allocate(0), LONGEST);
            }
        }

        return report;
    }

    private static ObjectNode pair(final RankPlace place, final Rendezvous rendezvous, final BenchTask task)
    {
        try (BenchPair pair = new BenchPair(place, rendezvous, task))
        {
            final ObjectNode report;
            if (BenchPair.isMeasuring(place.rank()))
            {
                final Measurements measurements = new Measurements(pair, place.progress());
                report = task.chunks() ? measurements.runChunks() : measurements.run();
                rendezvous.allGather("bench.measured", ByteBuffer.allocate(0), LONGEST);
            }
            else
            {
                answer(pair, rendezvous);
                report = JSON.createObjectNode();
            }

            // A rank that closed first would look like one that failed.
            rendezvous.allGather("bench.done", ByteBuffer.allocate(0), LONGEST);
            return report;
        }
    }

    /** Each add is answered by one of the same amount, until rank 0 has measured. */
    private static void answer(final BenchPair pair, final Rendezvous rendezvous)
    {
        final CompletableFuture<Void> isMeasured = CompletableFuture.runAsync(
            () -> rendezvous.allGather("bench.measured", ByteBuffer.allocate(0), LONGEST));
        long answered = 0;
        int spins = 0;
        while (!isMeasured.isDone())
        {
            final int work = pair.progress();
            final long seen = pair.echoed();
            if (seen > answered)
            {
                final long delta = seen - answered;
                pair.submit(() -> pair.channel().atomicAdd(pair.remoteSignals(), BenchPair.ECHOED, delta));
                answered = seen;
                spins = 0;
            }
            else if (0 == work && ++spins > SPINS)
            {
                Thread.yield();
            }
        }

        isMeasured.join();
    }
}
