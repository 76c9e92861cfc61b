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
 */
public record LaunchPlan(String taskName, JsonNode task, int worldSize, String settings, String[] folders)
{
}
