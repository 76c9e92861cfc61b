/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import dev.transload.cli.input.InputOptions;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Description of a search, equal on all ranks.
 *
 * @param isLowLatency whether the engine's low-latency mode is tuned.
 * @param input        what is sent.
 * @param budgetMillis time for all trials together.
 * @param fixed        keys below {@code transload} that were chosen, hence are not varied.
 */
public record TuneTask(boolean isLowLatency, InputOptions input, long budgetMillis, Set<String> fixed)
{
    /** Time for all trials together, in nanoseconds. */
    long budgetNs()
    {
        return TimeUnit.MILLISECONDS.toNanos(budgetMillis);
    }
}
