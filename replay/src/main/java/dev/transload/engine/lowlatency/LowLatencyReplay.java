/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.WorldConfig;
import dev.transload.engine.recording.Fault;
import dev.transload.engine.recording.LowLatencyRecording;
import dev.transload.engine.recording.RankRoutes;
import dev.transload.engine.recording.Recording;
import dev.transload.engine.recording.WorldShape;
import dev.transload.kernels.ScaleFormat;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.List;

/** Converts worlds in low-latency mode to recordings and runs such recordings. */
public final class LowLatencyReplay
{
    /** By {@code Scenario.overlap}. */
    private static final List<String> OVERLAPS = List.of("none", "next", "pairs");
    private static final long CYCLES_A_CALL = 20_000;

    private LowLatencyReplay()
    {
    }

    /**
     * Runs a recorded world on the calling thread and compares all results with a brute-force computation.
     *
     * @param recording recording that has been checked.
     * @throws RuntimeException if an engine fails or refuses its settings.
     * @throws AssertionError   if a result is wrong, a working rank is masked, or a call does not end.
     */
    public static void run(final LowLatencyRecording recording)
    {
        try (SteppingWorld world = new SteppingWorld(scenario(recording)))
        {
            world.run(recording.faults());
        }
    }

    static LowLatencyRecording record(final Scenario scenario, final List<Fault> faults, final String source)
    {
        return new LowLatencyRecording(Recording.FORMAT, Recording.VERSION, source, LowLatencyRecording.MODE,
            new WorldShape(scenario.world().ranksOfNodes()),
            new LowLatencyRecording.Input(scenario.seed, scenario.experts, scenario.topk, scenario.hidden,
            scenario.isFp8 ? "fp8" : "bf16", null != scenario.routes ? null :
            new LowLatencyRecording.Drawn(scenario.isEmptyRank, scenario.missing, scenario.isHot),
            null == scenario.routes ? null :
            scenario.routes.stream().map((ranks) -> ranks.stream().map(RankRoutes::of).toList()).toList()),
            new LowLatencyRecording.Settings(scenario.maxTokens, scenario.channels, scenario.isFar ? "never" : "auto",
            scenario.timeoutNs, scenario.format.name(), scenario.layout.name()),
            new LowLatencyRecording.Fabric(scenario.kind.isHost() ? "host" : "device",
            scenario.isApart ? "two" : "one", scenario.hasAtomics),
            new LowLatencyRecording.Calls(
            scenario.calls, OVERLAPS.get(scenario.overlap), scenario.isReleasing, scenario.isAtOnce),
            faults, scenario.scheduleSeed);
    }

    static Scenario scenario(final LowLatencyRecording recording)
    {
        final LowLatencyRecording.Input input = recording.input();
        final LowLatencyRecording.Settings settings = recording.settings();
        final Scenario scenario = new Scenario(input.seed());
        scenario.scheduleSeed = recording.schedule();
        final WorldConfig world = new WorldConfig(recording.world().ranksPerNode());
        scenario.nodes = world.isEven() ? world.nodes() : 1;
        scenario.ranksPerNode = world.isEven() ? world.mostRanks() : world.size();
        scenario.ranksOfNodes = world.isEven() ? null : world.ranksOfNodes();
        scenario.experts = input.experts();
        scenario.topk = input.topk();
        scenario.hidden = input.hidden();
        scenario.isFp8 = "fp8".equals(input.dtype());
        if (null != input.drawn())
        {
            scenario.isEmptyRank = input.drawn().idleEvenRanks();
            scenario.missing = input.drawn().missing();
            scenario.isHot = input.drawn().hot();
        }
        else
        {
            scenario.routes = input.routes().stream().map(
                (ranks) -> ranks.stream().map((routes) -> routes.routing(input.topk())).toList()).toList();
            scenario.missing = 0;
        }

        scenario.maxTokens = settings.maxTokens();
        scenario.channels = settings.channels();
        scenario.isFar = "never".equals(settings.near());
        scenario.timeoutNs = settings.timeoutNs();
        scenario.format = ScaleFormat.valueOf(settings.scaleFormat());
        scenario.layout = ScaleLayout.valueOf(settings.scaleLayout());
        scenario.kind = "host".equals(recording.fabric().payload()) ? MemoryKind.HOST : SteppingOptions.OPAQUE;
        scenario.isApart = "two".equals(recording.fabric().networks());
        scenario.hasAtomics = recording.fabric().atomics();
        scenario.calls = recording.calls().count();
        scenario.maxCycles = (int)Math.min(
            Integer.MAX_VALUE, Math.max(scenario.maxCycles, CYCLES_A_CALL * scenario.calls));
        scenario.overlap = OVERLAPS.indexOf(recording.calls().overlap());
        scenario.isReleasing = recording.calls().releasing();
        scenario.isAtOnce = recording.calls().atOnce();
        return scenario;
    }
}
