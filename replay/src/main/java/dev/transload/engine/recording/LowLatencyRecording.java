/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.recording;

import java.util.List;

/**
 * Recording of a world in low-latency mode.
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
 * @param faults   faults of ranks in the order of their occurrence.
 * @param schedule seed of the order of all steps.
 */
public record LowLatencyRecording(
    String format, int version, String source, String mode, WorldShape world, Input input, Settings settings,
    Fabric fabric, Calls calls, List<Fault> faults, long schedule) implements Recording
{
    /** Value of {@link #mode} in this class. */
    public static final String MODE = "low-latency";

    /**
     * Data to send.
     *
     * @param seed    seed of rows, answers and all random choices.
     * @param experts number of experts E before padding.
     * @param topk    number of choices per token K.
     * @param hidden  number of elements of a row.
     * @param dtype   {@code bf16}, or {@code fp8} if rows are cast to FP8 for the transfer.
     * @param drawn   parameters of random tokens and choices, null if routes are given.
     * @param routes  routes by call and rank, repeated from the start for later calls; null if they are random.
     */
    public record Input(
        long seed, int experts, int topk, int hidden, String dtype, Drawn drawn, List<List<RankRoutes>> routes)
    {
    }

    /**
     * Parameters of random tokens and choices. Each rank has up to {@code max_tokens} tokens.
     *
     * @param idleEvenRanks true if even ranks have no tokens.
     * @param missing       share of choices that are −1.
     * @param hot           true if tokens choose experts in ascending order.
     */
    public record Drawn(boolean idleEvenRanks, double missing, boolean hot)
    {
    }

    /**
     * Settings of the engines, with the names of the configuration.
     *
     * @param maxTokens   largest number of tokens of a rank in one call, M.
     * @param channels    number of channels to each rank.
     * @param near        {@code auto}, or {@code never} if all ranks are far.
     * @param timeoutNs   timeout in nanoseconds of the world's clock.
     * @param scaleFormat scale format for FP8: {@code AMAX} or {@code POWER_OF_TWO}.
     * @param scaleLayout scale layout for FP8: a name of {@code ScaleLayout}.
     */
    public record Settings(
        int maxTokens, int channels, String near, long timeoutNs, String scaleFormat, String scaleLayout)
    {
    }

    /**
     * Memory and networks of the world.
     *
     * @param payload  {@code host}, or {@code device} for memory that the JVM cannot access.
     * @param networks {@code one}, or {@code two} with separate networks within nodes and between nodes.
     * @param atomics  true if ranks can add to words of other ranks.
     */
    public record Fabric(String payload, String networks, boolean atomics)
    {
    }

    /**
     * Calls of every rank.
     *
     * @param count     number of dispatches.
     * @param overlap   {@code none}, {@code next} (the next dispatch before the combine), or {@code pairs} (two
     *                  dispatches, then two combines).
     * @param releasing true if the results of some calls are released instead of combined.
     * @param atOnce    true if some ranks state that they receive immediately.
     */
    public record Calls(int count, String overlap, boolean releasing, boolean atOnce)
    {
    }

    @Override
    public LowLatencyRecording withSchedule(final long seed)
    {
        return new LowLatencyRecording(
            format, version, source, mode, world, input, settings, fabric, calls, faults, seed);
    }

    /**
     * Returns the same world with different faults.
     *
     * @param others faults of ranks in the order of their occurrence.
     * @return changed copy.
     */
    public LowLatencyRecording withFaults(final List<Fault> others)
    {
        return new LowLatencyRecording(
            format, version, source, mode, world, input, settings, fabric, calls, others, schedule);
    }

    @Override
    public void check()
    {
        final int ranks = Checks.world(world.ranksPerNode());
        Checks.model(input.experts, input.topk, input.hidden, input.dtype);
        Checks.require(0 == input.hidden % 128, "input.hidden", "= " + input.hidden + " is not allowed",
            "a multiple of 128 in this mode");
        Checks.oneOf(input.drawn, input.routes);
        Checks.range("settings.max_tokens", settings.maxTokens, 1, 1 << 12);
        Checks.size("settings.max_tokens", (long)ranks * settings.maxTokens *
            ((input.experts + ranks - 1) / ranks) * ranks, input.hidden);
        checkRoutes(ranks);
        Checks.range("settings.channels", settings.channels, 1, 64);
        Checks.among("settings.near", settings.near, "auto", "never");
        Checks.range("settings.timeout_ns", settings.timeoutNs, 1_000_000, 60_000_000_000L);
        Checks.among("settings.scale_format", settings.scaleFormat, "AMAX", "POWER_OF_TWO");
        Checks.among("settings.scale_layout", settings.scaleLayout,
            "ROWS", "COLUMNS", "PACKED_ROWS", "PACKED_COLUMNS");
        Checks.among("fabric.payload", fabric.payload, "host", "device");
        Checks.among("fabric.networks", fabric.networks, "one", "two");
        Checks.range("calls.count", calls.count, 1, 200_000);
        Checks.among("calls.overlap", calls.overlap, "none", "next", "pairs");
        for (final Fault fault : faults)
        {
            fault.check(ranks);
        }
    }

    private void checkRoutes(final int ranks)
    {
        if (null != input.drawn)
        {
            Checks.share("input.drawn.missing", input.drawn.missing);
            return;
        }

        Checks.require(!input.routes.isEmpty(), "input.routes", "has no call", "at least one");
        for (int call = 0; call < input.routes.size(); call++)
        {
            final String where = "input.routes[" + call + "]";
            final List<RankRoutes> ofCall = input.routes.get(call);
            Checks.require(ofCall.size() == ranks, where, "has " + ofCall.size() + " ranks", "of all " + ranks +
                " ranks");
            for (int rank = 0; rank < ranks; rank++)
            {
                ofCall.get(rank).check(where + "[" + rank + "]", input.topk, input.experts);
                Checks.range(where + "[" + rank + "] tokens", ofCall.get(rank).topkIds().length, 0,
                    settings.maxTokens);
            }
        }
    }
}
