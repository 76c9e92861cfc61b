/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.report;

import dev.transload.cli.input.InputOptions;
import dev.transload.cli.input.RunInput;
import dev.transload.cli.rank.RunTask;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.WorldConfig;

/**
 * What was run.
 *
 * @param world         ranks of the nodes.
 * @param origin        of the routing.
 * @param experts       E before padding.
 * @param paddedExperts E.
 * @param topk          K.
 * @param hidden        elements of a row.
 * @param dtype         {@code bf16} or {@code fp8}.
 * @param iterations    dispatches, each with its combine.
 * @param warmup        iterations before those, which are not measured.
 * @param seed          of random numbers.
 * @param answers       of experts, {@code distinct} or {@code echo}.
 * @param lowLatency    what only low latency has; null in normal mode.
 * @param planned       iterations that were asked for, where a signal ended the run before its end; else null.
 */
public record RunHeader(
    WorldConfig world,
    String origin,
    int experts,
    int paddedExperts,
    int topk,
    int hidden,
    String dtype,
    int iterations,
    int warmup,
    long seed,
    String answers,
    LowLatencyHeader lowLatency,
    Integer planned)
{
    /**
     * What only low latency has.
     *
     * @param maxTokens M, tokens of a rank in one call.
     * @param calls     of one iteration.
     */
    public record LowLatencyHeader(int maxTokens, int calls)
    {
    }

    /**
     * Of a run in normal mode.
     *
     * @param config     of the engine.
     * @param input      of all ranks.
     * @param isFp8      whether FP8 rows travel.
     * @param iterations dispatches, each with its combine.
     * @param warmup     iterations before those.
     * @param seed       of random numbers.
     * @param answers    of experts.
     * @return header.
     */
    public static RunHeader of(
        final EngineConfig config, final RunInput input, final boolean isFp8, final int iterations, final int warmup,
        final long seed, final String answers)
    {
        return new RunHeader(config.world(), input.origin(), input.experts(),
            input.world().experts(), input.topk(), input.hidden(), isFp8 ? InputOptions.FP8 : InputOptions.BF16,
            iterations, warmup, seed, answers, null, null);
    }

    /**
     * Of a run in low-latency mode.
     *
     * @param mode what only low latency has.
     * @return header.
     */
    public RunHeader with(final LowLatencyHeader mode)
    {
        return new RunHeader(world, origin, experts, paddedExperts, topk, hidden, dtype, iterations,
            warmup, seed, answers, mode, planned);
    }

    /**
     * Of a run that a signal ended.
     *
     * @param made iterations that were made before.
     * @return header.
     */
    public RunHeader interrupted(final int made)
    {
        return new RunHeader(world, origin, experts, paddedExperts, topk, hidden, dtype, made,
            warmup, seed, answers, lowLatency, iterations);
    }

    /**
     * Of the part of a run that came after lost ranks were started again.
     *
     * @param made iterations that were made before, those of the warm-up included.
     * @return header.
     */
    public RunHeader after(final int made)
    {
        final RunTask.Counts left = new RunTask.Counts(warmup, iterations).after(made);
        return new RunHeader(world, origin, experts, paddedExperts, topk, hidden, dtype, left.counted(),
            left.warmup(), seed, answers, lowLatency, planned);
    }

    /** Calls of an iteration, each a dispatch with its combine. */
    public int calls()
    {
        return null == lowLatency ? 1 : lowLatency.calls();
    }
}
