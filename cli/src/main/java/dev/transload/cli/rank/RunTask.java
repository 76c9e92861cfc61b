/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.cli.input.InputOptions;
import dev.transload.cli.input.TokenName;

/**
 * Description of a run, equal on all ranks.
 *
 * @param input        what is sent.
 * @param iterations   dispatches, each with its combine.
 * @param warmup       iterations before those, which are not measured.
 * @param cached       whether dispatches after the first repeat its routing, by its handle.
 * @param topkOnDevice whether top-k, and what comes of it, lies where the rows are.
 * @param answers      {@code distinct} or {@code echo}, see {@link dev.transload.cli.verify.ExpertAnswers}.
 * @param verifyAll    whether every iteration is verified, however long that takes.
 * @param injection    name of what spoils one received row before verification, or null.
 * @param output       directory for tensors, or null.
 * @param explained    token whose way is told, or null.
 */
public record RunTask(
    InputOptions input,
    int iterations,
    int warmup,
    boolean cached,
    boolean topkOnDevice,
    String answers,
    boolean verifyAll,
    String injection,
    String output,
    TokenName explained)
{
    /**
     * Iterations of a run.
     *
     * @param warmup  that come first and don't count.
     * @param counted that come after them.
     */
    public record Counts(int warmup, int counted)
    {
        /**
         * Those that are left.
         *
         * @param made iterations, those of the warm-up included. The last iteration is made once more if all are.
         */
        public Counts after(final int made)
        {
            final int left = Math.max(1, warmup + counted - made);
            final int warm = Math.max(0, warmup - made);
            return new Counts(warm, left - warm);
        }
    }

    /** What is left of it after so many iterations. */
    RunTask after(final int made)
    {
        final Counts left = new Counts(warmup, iterations).after(made);
        return new RunTask(input, left.counted(), left.warmup(), cached, topkOnDevice, answers, verifyAll, injection,
            output, explained);
    }
}
