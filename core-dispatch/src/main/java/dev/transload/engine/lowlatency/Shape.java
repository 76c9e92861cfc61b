/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.EngineConfig;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepSlots;
import dev.transload.spi.ConfigurationException;
import java.time.Duration;

/**
 * Sizes that follow from the settings alone, so that a rank knows them at its peers. Dispatches take {@link #LANES}
 * lanes in turn, each with words and slots of its own, so that two results may be alive.
 */
final class Shape
{
    /** Lanes, which dispatches take in turn. */
    static final int LANES = 2;

    private static final int ALIGNMENT = 128;
    private static final long DEFAULT_TIMEOUT_NS = Duration.ofSeconds(10).toNanos();

    private final StepShape steps;
    private final StepSlots slots;

    /**
     * Of a world.
     *
     * @param ranks     P.
     * @param ownRank   rank of this process.
     * @param maxTokens M.
     * @param maxHidden widest row in elements.
     * @param experts   most experts before padding.
     * @param maxTopk   most selections of a token.
     */
    Shape(
        final int ranks, final int ownRank, final int maxTokens, final int maxHidden, final int experts,
        final int maxTopk)
    {
        this(ranks, ownRank, maxTokens, maxHidden, experts, maxTopk, 1, DEFAULT_TIMEOUT_NS);
    }

    private Shape(
        final int ranks, final int ownRank, final int maxTokens, final int maxHidden, final int experts,
        final int maxTopk, final int blocks, final long timeoutNs)
    {
        if (((1L << StepShape.ROW_BITS) - 1) / ranks < maxTokens)
        {
            throw new ConfigurationException("transload.low-latency.max-tokens = " + maxTokens +
                " is not allowed in a world of " + ranks + " ranks: must be at most " +
                ((1L << StepShape.ROW_BITS) - 1) / ranks);
        }

        this.steps = StepShape.of(ranks, ownRank).maxTokens(maxTokens)
            .maxHidden((maxHidden + Fp8.GROUP - 1) / Fp8.GROUP * Fp8.GROUP).maxExperts(experts)
            .maxTopk(maxTopk).blocks(blocks).timeoutNs(timeoutNs).build();
        this.slots = new StepSlots(steps);
    }

    static Shape of(final LowLatencyConfig config, final int ownRank)
    {
        final EngineConfig common = config.common();
        return new Shape(common.worldSize(), ownRank, config.maxTokens(), common.maxHidden(), common.maxExperts(),
            common.maxTopk());
    }

    /** The same with steps of a device. */
    Shape withBlocks(final int blocks, final Duration timeout)
    {
        return new Shape(steps.ranks(), steps.ownRank(), steps.maxTokens(), steps.maxHidden(), steps.maxExperts(),
            steps.maxTopk(), blocks, timeout.toNanos());
    }

    static long align(final long bytes)
    {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    StepShape steps()
    {
        return steps;
    }

    StepSlots slots()
    {
        return slots;
    }

    int ranks()
    {
        return steps.ranks();
    }

    int maxLocalExperts()
    {
        return steps.localExperts();
    }

    /** Rows of an expert in an output. */
    int expertRows()
    {
        return steps.expertRows();
    }

    /** Selections of a rank's tokens. */
    int selections()
    {
        return steps.maxTokens() * steps.maxTopk();
    }

    /** Rows of an output or of answers. */
    int places(final int experts)
    {
        return steps.localExperts(experts) * steps.expertRows();
    }

    /** Words and headers that peers write, in one lane. */
    long controlBytes()
    {
        return slots.controlBytes();
    }

    /** Rows and answers that peers write, in one lane. */
    long slotsBytes()
    {
        return slots.bytes();
    }

    /** Refuse a world with more than an index of 32 bits tells apart. */
    void requireCountable()
    {
        final int each = Math.min(steps.maxTopk(), steps.localExperts());
        requireCountable("rows of an output", (long)steps.localExperts() * steps.ranks() * steps.maxTokens());
        // Lists of rows and of answers: 8 bytes a row, and as many for each place or weight.
        requireCountable("bytes of lists", (long)steps.ranks() * steps.maxTokens() * (each + 1L) * 16);
    }

    private void requireCountable(final String what, final long count)
    {
        if (count > Integer.MAX_VALUE)
        {
            throw new ConfigurationException("a low-latency world of " + steps.ranks() + " ranks has " + count + " " +
                what + " at each of them, which is not allowed: must be at most " + Integer.MAX_VALUE + "; lower " +
                "transload.low-latency.max-tokens = " + steps.maxTokens() + " or transload.max-experts, now " +
                steps.localExperts() + " a rank");
        }
    }
}
