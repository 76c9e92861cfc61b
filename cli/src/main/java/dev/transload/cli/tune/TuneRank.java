/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.input.InputLoader;
import dev.transload.cli.input.RunInput;
import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.launch.RankTask;
import dev.transload.cli.launch.SharedMemory;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.PayloadConfig;
import dev.transload.engine.cores.CoreSet;
import dev.transload.engine.cores.HostShare;
import dev.transload.engine.internal.config.HostRule;
import dev.transload.engine.internal.config.PayloadRule;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.TransportRegistry;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The search on one rank. All ranks come to the same result; rank 0 tells it. */
public final class TuneRank implements RankTask
{
    /** How this task is named to a process. */
    public static final String NAME = TuneRank.class.getName();

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Topics and announcements of the search itself; its trials count from 1. */
    private static final int BEFORE_TRIALS = 0;

    @Override
    public JsonNode run(final RankPlace place, final JsonNode description)
    {
        final TuneTask task = read(description);
        final EngineConfig config = place.settings().engine();
        try (RunInput given = InputLoader.load(task.input(), config.world());
            RunInput input = new RunInput(given.world(), given.experts(), given.topk(), given.hidden(), given.isFp8(),
                new PlainRows(), given.origin()))
        {
            place.progress().step("connecting", 0, 1);
            return search(place, task, input, place.rendezvous().get());
        }
    }

    private static JsonNode search(
        final RankPlace place, final TuneTask task, final RunInput input, final Rendezvous rendezvous)
    {
        final EngineConfig config = place.settings().engine();
        final HostShare host = HostShare.learn(
            new ScopedRendezvous(rendezvous, BEFORE_TRIALS), config.openTimeout());
        int coresPerRank = Integer.MAX_VALUE;
        long mostRingBytes = Long.MAX_VALUE;
        for (final ByteBuffer theirs : rendezvous.allGather("tune.hosts", ByteBuffer.allocate(3 * Integer.BYTES)
            .putInt(host.coresPerRank()).putLong(SharedMemory.mostRingBytes(host.ranks())).flip(),
            config.openTimeout()))
        {
            final ByteBuffer buffer = theirs.duplicate();
            coresPerRank = Math.min(coresPerRank, buffer.getInt());
            mostRingBytes = Math.min(mostRingBytes, buffer.getLong());
        }

        final long budgetNs = TimeUnit.MILLISECONDS.toNanos(task.budgetMillis());
        final PayloadConfig payload = PayloadRule.settle(
            config.resolve(TransportRegistry.discover()), KernelRegistry.discover(), rendezvous).payload();
        final Trials trials = new Trials(
            place, input, rendezvous, budgetNs, payload.kind().isHost() ? mostRingBytes : Long.MAX_VALUE);
        final HostShare leanest = new HostShare(
            coresPerRank, 1, 0, CoreSet.EMPTY, coresPerRank, host.leastDeviceCores());
        final Function<Candidate, EngineConfig> configs =
            (candidate) ->
            HostRule.settle(trials.config(candidate).callerMayDrive().with(payload), leanest);
        final SearchSpace space = new SearchSpace(configs, coresPerRank, task.fixed());
        final Search search = new Search(space.dimensions(), trials::measure, trials::elapsedNs, budgetNs,
            (found) -> tell(place, configs, found));
        return JSON.valueToTree(TuneReport.of(search.run(), configs));
    }

    private static void tell(
        final RankPlace place, final Function<Candidate, EngineConfig> configs, final SearchResult found)
    {
        if (0 == place.rank())
        {
            final JsonNode report = JSON.valueToTree(TuneReport.of(found, configs));
            place.progress().checkpoint(() -> report);
            if (!found.best().isDefault())
            {
                place.progress().found(report);
            }
        }
    }

    private static TuneTask read(final JsonNode description)
    {
        try
        {
            return JSON.treeToValue(description, TuneTask.class);
        }
        catch (final JsonProcessingException ex)
        {
            throw new IllegalArgumentException("the task of this rank cannot be read", ex);
        }
    }
}
