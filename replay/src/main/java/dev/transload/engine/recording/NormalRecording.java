/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.recording;

import java.util.List;

/**
 * A world in normal mode.
 *
 * @param format   {@link Recording#FORMAT}.
 * @param version  {@link Recording#VERSION}.
 * @param source   what was recorded.
 * @param mode     {@link #MODE}.
 * @param world    ranks of the nodes.
 * @param input    what is sent.
 * @param settings of the engines.
 * @param fabric   memory and networks.
 * @param calls    of every rank.
 * @param faults   of ranks; {@code after_calls} is the only moment that this mode knows.
 * @param schedule seed of the order of all that happens.
 */
public record NormalRecording(
    String format, int version, String source, String mode, WorldShape world, Input input, Settings settings,
    Fabric fabric, Calls calls, List<Fault> faults, long schedule) implements Recording
{
    /** Of {@link #mode}. */
    public static final String MODE = "normal";

    /**
     * What is sent.
     *
     * @param seed    of rows, answers and of all that is drawn.
     * @param experts E before padding.
     * @param topk    K.
     * @param hidden  elements of a row.
     * @param dtype   {@code bf16} or {@code fp8}.
     * @param drawn   how choices are drawn, null where they are given.
     * @param routes  by rank, null where they are drawn.
     */
    public record Input(
        long seed, int experts, int topk, int hidden, String dtype, Drawn drawn, List<RankRoutes> routes)
    {
    }

    /**
     * How choices are drawn.
     *
     * @param tokens       of each rank.
     * @param missing      share of choices that are −1.
     * @param idleOddRanks whether odd ranks choose nobody.
     * @param hot          whether every token chooses the same expert first.
     */
    public record Drawn(int[] tokens, double missing, boolean idleOddRanks, boolean hot)
    {
    }

    /**
     * Settings of the engines, by the names of the configuration.
     *
     * @param output      {@code rank-major} or {@code expert-major}.
     * @param alignment   rows of an expert are padded to its multiple.
     * @param channels    of a rank.
     * @param maxTopk     greatest K.
     * @param placement   {@code direct}, {@code ring}, or {@code mixed}: ranks take them in turn.
     * @param tableMemory {@code auto} or a size.
     * @param combineWire {@code bf16} or {@code f32}.
     * @param scaleOut    stage between nodes.
     * @param scaleUp     stage within a node.
     */
    public record Settings(
        String output, int alignment, int channels, int maxTopk, String placement, String tableMemory,
        String combineWire, Stage scaleOut, Stage scaleUp)
    {
    }

    /**
     * Settings of a stage, by the names of the configuration.
     *
     * @param chunk       rows.
     * @param ring        slots.
     * @param creditBatch rows.
     * @param credit      {@code push} or {@code pull}.
     */
    public record Stage(int chunk, int ring, int creditBatch, String credit)
    {
    }

    /**
     * Memory and networks.
     *
     * @param payload  {@code host}, or {@code device}: memory that the JVM cannot see.
     * @param topkOn   {@code host} or {@code payload}: where top-k lies, and what comes of it.
     * @param networks {@code one} for both stages, {@code two}, or {@code staged}: two, of which the one between nodes
     *                 moves host memory only.
     * @param windows  whether ranks look into each other's memory.
     * @param atomics  whether ranks add to words of others.
     */
    public record Fabric(String payload, String topkOn, String networks, boolean windows, boolean atomics)
    {
    }

    /**
     * Calls of every rank.
     *
     * @param script     {@code property}: dispatches, cached ones among them, and combines with other tensors, as the
     *                   property tests make them; {@code iterations}: dispatch and combine in turn.
     * @param iterations dispatches of {@code iterations}.
     * @param cached     whether those after the first repeat its routing by its handle.
     * @param biases     0 to 2, of a combine.
     * @param weights    {@code none}, {@code received}, or {@code other}: those that are combined.
     */
    public record Calls(String script, int iterations, boolean cached, int biases, String weights)
    {
    }

    @Override
    public NormalRecording withSchedule(final long seed)
    {
        return new NormalRecording(
            format, version, source, mode, world, input, settings, fabric, calls, faults, seed);
    }

    @Override
    public void check()
    {
        final int ranks = Checks.world(world.ranksPerNode());
        Checks.model(input.experts, input.topk, input.hidden, input.dtype);
        Checks.oneOf(input.drawn, input.routes);
        checkTokens(ranks);
        Checks.among("settings.output", settings.output, "rank-major", "expert-major");
        Checks.range("settings.alignment", settings.alignment, 1, 1 << 12);
        Checks.range("settings.channels", settings.channels, 1, 64);
        Checks.range("settings.max_topk", settings.maxTopk, input.topk, 64);
        Checks.among("settings.placement", settings.placement, "direct", "ring", "mixed", "auto");
        Checks.among("settings.combine_wire", settings.combineWire, "bf16", "f32");
        check("scale_out", settings.scaleOut);
        check("scale_up", settings.scaleUp);
        Checks.among("fabric.payload", fabric.payload, "host", "device");
        Checks.among("fabric.topk_on", fabric.topkOn, "host", "payload");
        Checks.among("fabric.networks", fabric.networks, "one", "two", "staged");
        Checks.among("calls.script", calls.script, "property", "iterations");
        Checks.range("calls.iterations", calls.iterations, 1, 100_000);
        Checks.range("calls.biases", calls.biases, 0, 2);
        Checks.among("calls.weights", calls.weights, "none", "received", "other");
        for (final Fault fault : faults)
        {
            fault.check(ranks);
        }
    }

    private void checkTokens(final int ranks)
    {
        final int given = null != input.routes ? input.routes.size() : input.drawn.tokens.length;
        Checks.require(given == ranks, null != input.routes ? "input.routes" : "input.drawn.tokens",
            "has " + given + " ranks", "of all " + ranks + " ranks");
        long tokens = 0;
        for (int rank = 0; rank < ranks; rank++)
        {
            if (null != input.routes)
            {
                input.routes.get(rank).check("input.routes[" + rank + "]", input.topk, input.experts);
                tokens += input.routes.get(rank).topkIds().length;
            }
            else
            {
                Checks.range("input.drawn.tokens[" + rank + "]", input.drawn.tokens[rank], 0, 1 << 20);
                tokens += input.drawn.tokens[rank];
            }
        }

        Checks.size("input", tokens * input.topk, input.hidden);
        if (null != input.drawn)
        {
            Checks.share("input.drawn.missing", input.drawn.missing);
        }
    }

    private static void check(final String name, final Stage stage)
    {
        Checks.range("settings." + name + ".chunk", stage.chunk, 1, 1 << 20);
        Checks.range("settings." + name + ".ring", stage.ring, 1, 1 << 20);
        Checks.range("settings." + name + ".credit_batch", stage.creditBatch, 1, 1 << 20);
        Checks.among("settings." + name + ".credit", stage.credit, "push", "pull");
    }
}
