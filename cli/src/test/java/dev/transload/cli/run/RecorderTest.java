/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.CliReference;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.rank.RankReport;
import dev.transload.cli.report.SampleSummary;
import dev.transload.engine.recording.Fault;
import dev.transload.engine.recording.LowLatencyRecording;
import dev.transload.engine.recording.RankRoutes;
import dev.transload.engine.recording.Recording;
import dev.transload.engine.recording.RecordingFile;
import dev.transload.engine.recording.WorldShape;
import dev.transload.engine.replay.Replay;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run writes of the ranks that it lost. */
class RecorderTest
{
    private static final RankRoutes ROUTES =
        new RankRoutes(new long[][]{{0, 3}, {1, -1}, {2, 1}}, new float[][]{{0.5f, 0.5f}, {1f, 0f}, {0.25f, 0.75f}});

    @TempDir
    private Path folder;

    private static LowLatencyRecording fourRanks()
    {
        return new LowLatencyRecording(Recording.FORMAT, Recording.VERSION, "a test", LowLatencyRecording.MODE,
            new WorldShape(List.of(2, 2)),
            new LowLatencyRecording.Input(7, 4, 2, 128, "bf16", null, List.of(Collections.nCopies(4, ROUTES))),
            new LowLatencyRecording.Settings(4, 1, "auto", 8_000_000, "AMAX", "ROWS"),
            new LowLatencyRecording.Fabric("host", "one", true), new LowLatencyRecording.Calls(8, "none", false, true),
            List.of(), 7);
    }

    private static RankReport report(final int lost, final int after) throws IOException
    {
        final ObjectMapper json = new ObjectMapper();
        final ObjectNode report = json.valueToTree(SampleSummary.of("a trace", null).ranks().get(0));
        report.putArray("masked").add(lost);
        report.putArray("maskedAfter").add(after);
        return json.treeToValue(report, RankReport.class);
    }

    @Test
    void shouldTellWhichRanksWereLostAndWhen() throws IOException
    {
        final Path file = folder.resolve("world.json");
        final Recorder recorder = Recorder.begin(file.toString(), fourRanks());
        assertEquals(List.of(), ((LowLatencyRecording)RecordingFile.read(file)).faults());

        recorder.end(List.of(report(2, 5), report(2, 4), report(1, 2)));
        final LowLatencyRecording recorded = (LowLatencyRecording)RecordingFile.read(file);
        assertEquals(List.of(new Fault(1, Fault.KILL, null, 2), new Fault(2, Fault.KILL, null, 4)), recorded.faults());
        assertEquals(Optional.empty(), Replay.run(recorded));
        CliReference.assertValid("Recording of low-latency mode", new ObjectMapper().readTree(file.toFile()));
    }

    @Test
    void shouldSayThatAFileCannotBeWritten()
    {
        final String file = folder.resolve("none").resolve("world.json").toString();
        final CommandException refused =
            assertThrows(CommandException.class, () -> Recorder.begin(file, fourRanks()));
        assertEquals(ExitCodes.BAD_INPUT, refused.exitCode());
        assertTrue(refused.getMessage().startsWith("--record " + file + ": it cannot be written: "),
            refused::getMessage);
    }
}
