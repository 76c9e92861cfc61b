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
 * @param world      number of the world: 0, or more if lost ranks were started again. Tasks of the same process are in
 *                   one world after the other, so that they know how far they came.
 */
public record RankPlace(
    int rank, Settings settings, Supplier<Rendezvous> rendezvous, Progress progress, int world)
{
    /** In the only world that there is. */
    public RankPlace(
        final int rank, final Settings settings, final Supplier<Rendezvous> rendezvous, final Progress progress)
    {
        this(rank, settings, rendezvous, progress, 0);
    }
}
