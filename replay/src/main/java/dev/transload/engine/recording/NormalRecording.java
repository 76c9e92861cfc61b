/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.recording;

import java.util.List;

/**
 * Recording of a world in normal mode.
 *
 * @param format   file format, {@link Recording#FORMAT}.
 * @param version  version of the format, {@link Recording#VERSION}.
 * @param source   description of the recorded run.
 * @param mode     mode of the engines, {@link #MODE}.
 * @param world    number of ranks of each node.
 * @param input    data to send.
 * @param settings settings of the engines.
 * @param fabric   memory and networks.
 * @param calls    calls of every rank.
 * @param faults   faults of ranks; this mode supports only {@code after_calls} as their time.
 * @param schedule seed of the order of all steps.
 */
public record NormalRecording(
    String format, int version, String source, String mode, WorldShape world, Input input, Settings settings,
    Fabric fabric, Calls calls, List<Fault> faults, long schedule) implements Recording
{
    /** Value of {@link #mode} in this class. */
    public static final String MODE = "normal";

    /**
     * Data to send.
     *
     * @param seed    seed of rows, answers and all random choices.
     * @param experts number of experts E before padding.
     * @param topk    number of choices per token K.
     * @param hidden  number of elements of a row.
     * @param dtype   {@code bf16} or {@code fp8}.
     * @param drawn   parameters of random choices, null if routes are given.
     * @param routes  routes by rank, null if they are random.
     */
    public record Input(
        long seed, int experts, int topk, int hidden, String dtype, Drawn drawn, List<RankRoutes> routes)
    {
    }

    /**
     * Parameters of random choices.
     *
     * @param tokens       number of tokens of each rank.
     * @param missing      share of choices that are −1.
     * @param idleOddRanks true if tokens of odd ranks choose no expert.
     * @param hot          true if every token chooses the same expert first.
     */
    public record Drawn(int[] tokens, double missing, boolean idleOddRanks, boolean hot)
    {
    }

    /**
     * Settings of the engines, with the names of the configuration.
     *
     * @param output      output order, {@code rank-major} or {@code expert-major}.
     * @param alignment   multiple to which the rows of an expert are padded.
     * @param channels    number of channels of a rank.
     * @param maxTopk     largest K.
     * @param placement   {@code direct}, {@code ring}, or {@code mixed} if ranks alternate between both.
     * @param tableMemory {@code auto} or a size.
     * @param combineWire {@code bf16} or {@code f32}.
     * @param scaleOut    settings of the stage between nodes.
     * @param scaleUp     settings of the stage within a node.
     */
    public record Settings(
        String output, int alignment, int channels, int maxTopk, String placement, String tableMemory,
        String combineWire, Stage scaleOut, Stage scaleUp)
    {
    }

    /**
     * Settings of a stage, with the names of the configuration.
     *
     * @param chunk       number of rows of a chunk.
     * @param ring        number of slots of a ring.
     * @param creditBatch number of rows of a credit batch.
     * @param credit      {@code push} or {@code pull}.
     */
    public record Stage(int chunk, int ring, int creditBatch, String credit)
    {
    }

    /**
     * Memory and networks of the world.
     *
     * @param payload  {@code host}, or {@code device} for memory that the JVM cannot access.
     * @param topkOn   memory of top-k inputs and of results derived from them: {@code host} or {@code payload}.
     * @param networks {@code one} for both stages, {@code two}, or {@code staged}: two networks, of which the one
     *                 between nodes only moves host memory.
     * @param windows  true if ranks can access each other's memory directly.
     * @param atomics  true if ranks can add to words of other ranks.
     */
    public record Fabric(String payload, String topkOn, String networks, boolean windows, boolean atomics)
    {
    }

    /**
     * Calls of every rank.
     *
     * @param script     {@code property}: dispatches, some of them cached, and combines with other tensors, as in the
     *                   property tests; {@code iterations}: dispatch and combine alternate.
     * @param iterations number of dispatches if the script is {@code iterations}.
     * @param cached     true if dispatches after the first reuse its routing by its handle.
     * @param biases     number of biases of a combine, 0 to 2.
     * @param weights    weights to combine: {@code none}, {@code received} or {@code other}.
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
