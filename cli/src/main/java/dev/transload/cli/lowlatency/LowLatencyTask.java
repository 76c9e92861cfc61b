/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import dev.transload.cli.input.InputLoader;
import dev.transload.cli.input.InputOptions;
import dev.transload.cli.verify.ExpertAnswers;
import dev.transload.cli.verify.Injection;
import dev.transload.engine.lowlatency.LowLatencyConfig;

/**
 * Description of a low-latency run, equal on all ranks.
 *
 * @param input      what is sent, BF16 whatever travels.
 * @param fp8        whether rows are cast on the way.
 * @param iterations over all calls.
 * @param warmup     iterations before those, which are not measured.
 * @param answers    {@code distinct} or {@code echo}, see {@link dev.transload.cli.verify.ExpertAnswers}.
 * @param verifyAll  whether every iteration is verified, however long that takes.
 * @param injection  name of what spoils one received row before verification, or null.
 * @param output     directory for tensors, or null.
 */
public record LowLatencyTask(
    InputOptions input,
    boolean fp8,
    int iterations,
    int warmup,
    String answers,
    boolean verifyAll,
    String injection,
    String output)
{
    /**
     * From what was chosen.
     *
     * @param given      input with the type of rows that travel.
     * @param iterations over all calls.
     * @param warmup     iterations before those.
     * @param answers    of experts.
     * @param verifyAll  whether every iteration is verified.
     * @param injection  or null.
     * @param output     or null.
     * @return task.
     */
    public static LowLatencyTask of(
        final InputOptions given,
        final int iterations,
        final int warmup,
        final String answers,
        final boolean verifyAll,
        final String injection,
        final String output)
    {
        final InputOptions unchanged = new InputOptions(given.trace(), given.tokens(), given.input(), given.experts(),
            given.topk(), given.hidden(), null, given.seed());
        return new LowLatencyTask(unchanged, InputOptions.FP8.equals(given.checkedDtype()), iterations, warmup,
            answers, verifyAll, injection, output);
    }

    /**
     * Of calls that are only timed, as {@link TimedCalls}.
     *
     * @param given input with the type of rows that travel.
     * @return task, whose input is to be loaded.
     */
    public static LowLatencyTask ofCalls(final InputOptions given)
    {
        return of(given, 1, 0, ExpertAnswers.DISTINCT, false, null, null);
    }

    /**
     * Read, make and check what all ranks send.
     *
     * @param config of the world.
     * @return input to close.
     * @throws dev.transload.cli.outcome.CommandException with exit code 2 for all that is wrong with it.
     */
    public CallInput load(final LowLatencyConfig config)
    {
        return CallInput.of(
            InputLoader.load(input, config.common().world()), fp8, config.maxTokens());
    }

    boolean isDistinct()
    {
        return ExpertAnswers.DISTINCT.equals(answers);
    }

    /**
     * Refuse an injection that is none, or has nothing to spoil.
     *
     * @param loaded input.
     * @throws dev.transload.cli.outcome.CommandException with exit code 2.
     */
    public void check(final CallInput loaded)
    {
        if (null != injection)
        {
            Injection.named(injection);
            RowInjection.target(loaded);
        }
    }
}
