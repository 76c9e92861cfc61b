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
import dev.transload.cli.lowlatency.CallInput;
import dev.transload.cli.lowlatency.LowLatencyTask;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.PayloadConfig;
import dev.transload.engine.cores.CoreSet;
import dev.transload.engine.cores.HostShare;
import dev.transload.engine.internal.config.HostRule;
import dev.transload.engine.internal.config.PayloadRule;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.TransportRegistry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The search on one rank. All ranks come to the same result; rank 0 tells it. */
public final class TuneRank implements RankTask
{
    /** How this task is named to a process. */
    public static final String NAME = TuneRank.class.getName();

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Topics and announcements of the search itself; its trials count from 1. */
    private static final int BEFORE_TRIALS = 0;

    /** What ranks have of their hosts, as all of them know it: of cores and of memory, the least of any rank. */
    private record Hosts(HostShare own, int coresPerRank, long sharedBytes)
    {
        static Hosts learn(final Rendezvous rendezvous, final Duration timeout)
        {
            final HostShare own = HostShare.learn(new ScopedRendezvous(rendezvous, BEFORE_TRIALS), timeout);
            int coresPerRank = Integer.MAX_VALUE;
            long sharedBytes = Long.MAX_VALUE;
            for (final ByteBuffer theirs : rendezvous.allGather("tune.hosts", ByteBuffer.allocate(3 * Integer.BYTES)
                .putInt(own.coresPerRank()).putLong(SharedMemory.mostRingBytes(own.ranks())).flip(), timeout))
            {
                final ByteBuffer buffer = theirs.duplicate();
                coresPerRank = Math.min(coresPerRank, buffer.getInt());
                sharedBytes = Math.min(sharedBytes, buffer.getLong());
            }

            return new Hosts(own, coresPerRank, sharedBytes);
        }

        long bytesFor(final PayloadConfig payload)
        {
            return payload.kind().isHost() ? sharedBytes : Long.MAX_VALUE;
        }
    }

    @Override
    public JsonNode run(final RankPlace place, final JsonNode description)
    {
        final TuneTask task = read(description);
        if (task.isLowLatency())
        {
            final LowLatencyConfig config = LowLatencyConfig.from(place.settings().config());
            try (CallInput given = LowLatencyTask.ofCalls(task.input()).load(config))
            {
                return tuneLowLatency(
                    place, task, new CallInput(withPlainRows(given.input()), given.isFp8(), given.maxTokens()));
            }
        }

        try (RunInput given = InputLoader.load(task.input(), place.settings().engine().world()))
        {
            return tuneNormal(place, task, withPlainRows(given));
        }
    }

    private static RunInput withPlainRows(final RunInput given)
    {
        return new RunInput(given.world(), given.experts(), given.topk(), given.hidden(), given.isFp8(),
            new PlainRows(), given.origin());
    }

    private static JsonNode tuneNormal(final RankPlace place, final TuneTask task, final RunInput input)
    {
        final Rendezvous rendezvous = meet(place);
        final EngineConfig config = place.settings().engine();
        final Hosts hosts = Hosts.learn(rendezvous, config.openTimeout());
        final PayloadConfig payload = settled(config, rendezvous).payload();
        final Trials trials = new Trials(place,
            new NormalTrialCalls(place.rank(), input, hosts.bytesFor(payload)), rendezvous, task.budgetNs());
        final HostShare leanest = new HostShare(hosts.coresPerRank(), 1, 0, CoreSet.EMPTY, hosts.coresPerRank(),
            hosts.own().leastDeviceCores());
        final Function<Candidate, EngineConfig> configs = (candidate) ->
            HostRule.settle(trials.settings(candidate).engine().callerMayDrive().with(payload), leanest);
        return search(place, task, trials, new SearchSpace(configs, hosts.coresPerRank(), task.fixed()).dimensions(),
            (candidate) -> SearchSpace.values(configs.apply(candidate)));
    }

    private static JsonNode tuneLowLatency(final RankPlace place, final TuneTask task, final CallInput input)
    {
        final Rendezvous rendezvous = meet(place);
        final EngineConfig config = place.settings().engine();
        final Hosts hosts = Hosts.learn(rendezvous, config.openTimeout());
        final EngineConfig settled = settled(config, rendezvous);
        final Trials trials = new Trials(place,
            new LowLatencyTrialCalls(place, input, hosts.bytesFor(settled.payload())), rendezvous, task.budgetNs());
        final LowLatencySpace space = new LowLatencySpace(
            (candidate) -> LowLatencyConfig.from(trials.settings(candidate).config()),
            LowLatencySpace.transports(settled), hosts.coresPerRank(), task.fixed(), trials::reach);
        return search(place, task, trials, space.dimensions(), space::values);
    }

    private static Rendezvous meet(final RankPlace place)
    {
        place.progress().step("connecting", 0, 1);
        return place.rendezvous().get();
    }

    private static EngineConfig settled(final EngineConfig config, final Rendezvous rendezvous)
    {
        return PayloadRule.settle(
            config.resolve(TransportRegistry.discover()), KernelRegistry.discover(), rendezvous);
    }

    private static JsonNode search(
        final RankPlace place, final TuneTask task, final Trials trials, final List<Dimension> dimensions,
        final Function<Candidate, Map<String, String>> values)
    {
        final Search search = new Search(dimensions, trials::measure, trials::elapsedNs, task.budgetNs(),
            (found) -> tell(place, TuneReport.of(found, values)));
        return JSON.valueToTree(TuneReport.of(search.run(), values));
    }

    private static void tell(final RankPlace place, final TuneReport found)
    {
        if (0 == place.rank())
        {
            final JsonNode report = JSON.valueToTree(found);
            place.progress().checkpoint(() -> report);
            if (!found.best().isEmpty())
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
