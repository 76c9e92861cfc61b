/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import dev.transload.cli.input.InputOptions;
import java.util.Set;

/**
 * Description of a search, equal on all ranks.
 *
 * @param input        what is sent.
 * @param budgetMillis time for all trials together.
 * @param fixed        keys below {@code transload} that were chosen, hence are not varied.
 */
public record TuneTask(InputOptions input, long budgetMillis, Set<String> fixed)
{
}
