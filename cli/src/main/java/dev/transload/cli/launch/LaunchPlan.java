/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What a rank's process is told on its standard input, in one line.
 *
 * @param taskName  class of the {@link RankTask}, which has a constructor without arguments.
 * @param task      its description.
 * @param worldSize number of ranks.
 * @param settings  rendered.
 * @param folders   to delete when the launcher is gone.
 * @param loss      what becomes of this rank when another is lost.
 * @param world     number of the world that this rank joins: 0, or more if ranks were started again before.
 */
public record LaunchPlan(
    String taskName, JsonNode task, int worldSize, String settings, String[] folders, PeerLoss loss, int world)
{
    LaunchPlan placed(final String rendered, final String... deleted)
    {
        return new LaunchPlan(taskName, task, worldSize, rendered, deleted, loss, world);
    }

    LaunchPlan with(final int later)
    {
        return new LaunchPlan(taskName, task, worldSize, settings, folders, loss, later);
    }
}
