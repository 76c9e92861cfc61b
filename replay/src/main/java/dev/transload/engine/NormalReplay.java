/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.engine.recording.NormalRecording;
import dev.transload.engine.recording.RankRoutes;
import dev.transload.engine.recording.Recording;
import dev.transload.engine.recording.WorldShape;
import dev.transload.reference.Routing;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.List;
import java.util.Locale;

/** Converts worlds in normal mode to recordings and runs such recordings. */
public final class NormalReplay
{
    private static final String PROPERTY = "property";
    private static final String ITERATIONS = "iterations";
    private static final int CYCLES_A_ROW = 100;

    private NormalReplay()
    {
    }

    /**
     * Runs a recorded world on the calling thread and compares all results with the reference.
     *
     * @param recording recording that has been checked.
     * @throws BadInputException if this mode cannot replay the recording.
     * @throws RuntimeException  if an engine fails or refuses its settings.
     * @throws AssertionError    if a result is wrong or a call does not end.
     */
    public static void run(final NormalRecording recording)
    {
        if (!recording.faults().isEmpty())
        {
            throw new BadInputException("faults of ranks are replayed in low-latency mode only: in normal mode a " +
                "lost rank ends the call on all others; faults = [] replays the calls without them");
        }

        try (SteppingWorld world = new SteppingWorld(scenario(recording)))
        {
            if (PROPERTY.equals(recording.calls().script()))
            {
                world.runAndVerifyRepeated();
            }
            else
            {
                world.runAndVerifyIterations(recording.calls().iterations(), recording.calls().cached());
            }
        }
    }

    /** A world of the property tests, which calls as they do. */
    static NormalRecording record(final Scenario scenario, final String source)
    {
        if (null != scenario.vectors || 0 != scenario.threads || !scenario.more.isEmpty() || !scenario.absent.isEmpty())
        {
            throw new IllegalArgumentException(
                "cannot be recorded: test vectors, threads, more settings or absent ranks");
        }

        final List<Routing> routes = null == scenario.trace ? scenario.routes : new WorldData(scenario).routings;
        return new NormalRecording(Recording.FORMAT, Recording.VERSION, source, NormalRecording.MODE,
            new WorldShape(scenario.world().ranksOfNodes()),
            new NormalRecording.Input(scenario.seed, scenario.experts, scenario.topk, scenario.hidden,
            scenario.isFp8 ? "fp8" : "bf16", null != routes ? null :
            new NormalRecording.Drawn(scenario.tokens, scenario.missing, scenario.isMissingOnOddRanks, scenario.isHot),
            null == routes ? null : routes.stream().map(RankRoutes::of).toList()),
            new NormalRecording.Settings(name(scenario.layout), scenario.alignment, scenario.channels,
            scenario.topk + scenario.moreTopk, scenario.placement, scenario.tableMemory,
            scenario.isWireF32 ? "f32" : "bf16",
            new NormalRecording.Stage(scenario.outChunk, scenario.outRing, scenario.outBatch, scenario.outCredit),
            new NormalRecording.Stage(scenario.upChunk, scenario.upRing, scenario.upBatch, scenario.upCredit)),
            new NormalRecording.Fabric(scenario.kind.isHost() ? "host" : "device",
            scenario.isTopkOnDevice ? "payload" : "host",
            scenario.isStaged ? "staged" : scenario.isApart ? "two" : "one", scenario.hasWindows, scenario.hasAtomics),
            new NormalRecording.Calls(PROPERTY, 1, false, scenario.biases,
            !scenario.isWeighted ? "none" : scenario.hasOwnWeights ? "other" : "received"),
            List.of(), scenario.scheduleSeed);
    }

    static Scenario scenario(final NormalRecording recording)
    {
        final NormalRecording.Input input = recording.input();
        final NormalRecording.Settings settings = recording.settings();
        final Scenario scenario = new Scenario(input.seed());
        scenario.scheduleSeed = recording.schedule();
        final WorldConfig world = new WorldConfig(recording.world().ranksPerNode());
        scenario.nodes = world.nodes();
        scenario.ranksPerNode = world.mostRanks();
        scenario.ranksOfNodes = world.isEven() ? null : world.ranksOfNodes();
        scenario.experts = input.experts();
        scenario.topk = input.topk();
        scenario.hidden = input.hidden();
        scenario.isFp8 = "fp8".equals(input.dtype());
        draw(scenario, input);
        scenario.layout = OutputLayout.valueOf(settings.output().replace('-', '_').toUpperCase(Locale.ROOT));
        scenario.alignment = settings.alignment();
        scenario.channels = settings.channels();
        scenario.moreTopk = settings.maxTopk() - input.topk();
        scenario.placement = settings.placement();
        scenario.tableMemory = settings.tableMemory();
        scenario.isWireF32 = "f32".equals(settings.combineWire());
        scenario.outChunk = settings.scaleOut().chunk();
        scenario.outRing = settings.scaleOut().ring();
        scenario.outBatch = settings.scaleOut().creditBatch();
        scenario.outCredit = settings.scaleOut().credit();
        scenario.upChunk = settings.scaleUp().chunk();
        scenario.upRing = settings.scaleUp().ring();
        scenario.upBatch = settings.scaleUp().creditBatch();
        scenario.upCredit = settings.scaleUp().credit();
        scenario.kind = "host".equals(recording.fabric().payload()) ? MemoryKind.HOST : SteppingOptions.OPAQUE;
        scenario.isTopkOnDevice = "payload".equals(recording.fabric().topkOn());
        scenario.isStaged = "staged".equals(recording.fabric().networks());
        scenario.isApart = "two".equals(recording.fabric().networks());
        scenario.hasWindows = recording.fabric().windows();
        scenario.hasAtomics = recording.fabric().atomics();
        scenario.biases = recording.calls().biases();
        scenario.isWeighted = !"none".equals(recording.calls().weights());
        scenario.hasOwnWeights = "other".equals(recording.calls().weights());
        if (ITERATIONS.equals(recording.calls().script()))
        {
            long rows = 0;
            for (final int tokens : scenario.tokens)
            {
                rows += (long)tokens * scenario.topk;
            }

            scenario.maxCycles = (int)Math.min(Integer.MAX_VALUE, scenario.maxCycles + CYCLES_A_ROW * rows);
        }

        return scenario;
    }

    private static void draw(final Scenario scenario, final NormalRecording.Input input)
    {
        if (null != input.drawn())
        {
            scenario.tokens = input.drawn().tokens();
            scenario.missing = input.drawn().missing();
            scenario.isMissingOnOddRanks = input.drawn().idleOddRanks();
            scenario.isHot = input.drawn().hot();
            return;
        }

        scenario.routes = input.routes().stream().map((routes) -> routes.routing(input.topk())).toList();
        scenario.tokens = scenario.routes.stream().mapToInt(Routing::tokens).toArray();
        scenario.missing = 0;
    }

    private static String name(final OutputLayout layout)
    {
        return layout.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
