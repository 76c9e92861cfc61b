/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.program.BuildInfo;
import dev.transload.cli.program.CommonOptions;
import dev.transload.engine.recording.Recording;
import dev.transload.engine.recording.RecordingFile;
import dev.transload.engine.replay.Replay;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A recorded world again, in the same order of all that happens, so that a failure shows each time. */
@Command(name = "replay", mixinStandardHelpOptions = true, description = {
    "Repeat a recorded run, with the same order of events.",
    "One thread drives all ranks on the stepping transport of the conformance kit. A seed decides how this transport " +
        "delays and reorders operations, within the rules of the SPI. Results are compared with those of a " +
        "brute-force computation." })
public final class ReplayCommand implements Callable<Integer>
{
    private static final Logger LOG = LoggerFactory.getLogger(ReplayCommand.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_SCHEDULES = 1_000_000;

    @Mixin
    private CommonOptions common;

    @Parameters(index = "0", paramLabel = "FILE", description = "recording of a run, or of a test's world")
    private Path file;

    @Option(names = "--schedules", paramLabel = "N", description = "largest number of orders of events to try; " +
        "the first order that fails ends the command; the seeds of the orders are consecutive, beginning with the " +
        "recorded seed (default ${DEFAULT-VALUE})")
    private int schedules = 1;

    @Override
    public Integer call() throws JsonProcessingException
    {
        if (schedules < 1 || schedules > MAX_SCHEDULES)
        {
            throw CommandException.badInput(
                "--schedules " + schedules + " is not allowed: must be in [1, " + MAX_SCHEDULES + "]");
        }

        final Recording first = read();
        Recording recording = first;
        Optional<Throwable> failure = Replay.run(recording);
        int tried = 1;
        while (failure.isEmpty() && tried < schedules)
        {
            recording = first.withSchedule(first.schedule() + tried);
            failure = Replay.run(recording);
            tried++;
        }

        final String text = failure.map(ReplayCommand::sentence).orElse(null);
        failure.ifPresent((cause) -> LOG.debug("the world failed", cause));
        common.print(common.isJson() ? json(recording, tried, text) : text(recording, tried, text));
        return null == text ? ExitCodes.DONE : common.end(Outcome.of(ExitCodes.FAILED,
            "the replay failed: " + text.lines().findFirst().orElse("")));
    }

    private Recording read()
    {
        try
        {
            return RecordingFile.read(file);
        }
        catch (final IOException ex)
        {
            throw CommandException.badInput(file + " cannot be read: " + ex, ex);
        }
    }

    /** A wrong result says what is wrong; of all else the type tells more. */
    private static String sentence(final Throwable failure)
    {
        return failure instanceof AssertionError && null != failure.getMessage() ? failure.getMessage() :
            failure.toString();
    }

    private static String text(final Recording recording, final int tried, final String failure)
    {
        return recording.mode() + " mode, recorded from " + recording.source() + System.lineSeparator() +
            (null == failure ? "verified: " + (1 == tried ? "schedule " + recording.schedule() :
            tried + " schedules, the last " + recording.schedule()) +
            ", every rank got what brute force says" : "schedule " + recording.schedule() + ": " + failure) +
            System.lineSeparator();
    }

    private static String json(final Recording recording, final int tried, final String failure)
        throws JsonProcessingException
    {
        final ObjectNode root = JSON.createObjectNode();
        root.set("build", BuildInfo.own().json());
        root.put("verified", null == failure);
        if (null != failure)
        {
            root.put("failure", failure);
        }

        root.put("source", recording.source()).put("mode", recording.mode()).put("schedule", recording.schedule())
            .put("schedules_tried", tried);
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + System.lineSeparator();
    }
}
