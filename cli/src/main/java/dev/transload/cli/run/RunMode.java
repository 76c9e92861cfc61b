/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.launch.PeerLoss;
import dev.transload.cli.launch.RankTask;
import dev.transload.cli.report.RunHeader;
import dev.transload.cli.settings.Settings;
import dev.transload.engine.recording.Recording;

/** What a run does, in one of the engine's modes; its input is loaded, and all that can be refused has been. */
interface RunMode extends AutoCloseable
{
    /** Settings to run with. */
    Settings settings();

    /** What each rank does. */
    RankTask rankTask();

    /** How that is named to a process. */
    String taskName();

    /** Description of the task, equal on all ranks. */
    JsonNode task();

    /** What the loss of a rank means for the others. */
    PeerLoss loss();

    /** What makes the same calls on the stepping transport. */
    Recording recording();

    /** What was run. */
    RunHeader header();

    @Override
    void close();
}
