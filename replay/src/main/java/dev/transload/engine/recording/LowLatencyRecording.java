/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.recording;

import java.util.List;

/**
 * A world in low-latency mode.
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
 * @param faults   of ranks, one after the other.
 * @param schedule seed of the order of all that happens.
 */
public record LowLatencyRecording(
    String format, int version, String source, String mode, WorldShape world, Input input, Settings settings,
    Fabric fabric, Calls calls, List<Fault> faults, long schedule) implements Recording
{
    /** Of {@link #mode}. */
    public static final String MODE = "low-latency";

    /**
     * What is sent.
     *
     * @param seed    of rows, answers and of all that is drawn.
     * @param experts E before padding.
     * @param topk    K.
     * @param hidden  elements of a row.
     * @param dtype   {@code bf16} or {@code fp8}, to which rows are cast on the way.
     * @param drawn   how tokens and choices are drawn, null where they are given.
     * @param routes  by call, then rank; later calls begin anew. Null where they are drawn.
     */
    public record Input(
        long seed, int experts, int topk, int hidden, String dtype, Drawn drawn, List<List<RankRoutes>> routes)
    {
    }

    /**
     * How tokens and choices are drawn: up to {@code max_tokens} of each rank.
     *
     * @param idleEvenRanks whether even ranks have no tokens.
     * @param missing       share of choices that are −1.
     * @param hot           whether tokens choose experts in ascending order.
     */
    public record Drawn(boolean idleEvenRanks, double missing, boolean hot)
    {
    }

    /**
     * Settings of the engines, by the names of the configuration.
     *
     * @param maxTokens   M, tokens of a rank in one call.
     * @param channels    to each rank.
     * @param near        {@code auto}, or {@code never}: all ranks are far.
     * @param timeoutNs   of the clock of the world, nanoseconds.
     * @param scaleFormat of FP8: {@code AMAX} or {@code POWER_OF_TWO}.
     * @param scaleLayout of FP8, a name of {@code ScaleLayout}.
     */
    public record Settings(
        int maxTokens, int channels, String near, long timeoutNs, String scaleFormat, String scaleLayout)
    {
    }

    /**
     * Memory and networks.
     *
     * @param payload  {@code host}, or {@code device}: memory that the JVM cannot see.
     * @param networks {@code one}, or {@code two}: within nodes and between them.
     * @param atomics  whether ranks add to words of others.
     */
    public record Fabric(String payload, String networks, boolean atomics)
    {
    }

    /**
     * Calls of every rank.
     *
     * @param count     dispatches.
     * @param overlap   {@code none}; {@code next}: the next dispatch before the combine; {@code pairs}: two of each.
     * @param releasing whether results of some calls are released instead of combined.
     * @param atOnce    whether some ranks say that they receive at once.
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
     * The same world with other faults.
     *
     * @param others of ranks, one after the other.
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
