/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import dev.transload.cli.settings.Settings;
import dev.transload.rendezvous.Rendezvous;
import java.util.function.Supplier;

/**
 * A rank and its means.
 *
 * @param rank       own number.
 * @param settings   equal on all ranks.
 * @param rendezvous forms the world when it is asked for, which throws when the world doesn't form; its maker closes
 *                   it.
 * @param progress   to tell.
 */
public record RankPlace(int rank, Settings settings, Supplier<Rendezvous> rendezvous, Progress progress)
{
}
