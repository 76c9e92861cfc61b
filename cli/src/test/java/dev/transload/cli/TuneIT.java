/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.gate.Thorough;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The search with real processes: what it writes, a run takes. */
@Timeout(300)
class TuneIT
{
    private static final List<String> SMALL = List.of("--tokens", "24", "--hidden", "128", "--experts", "20", "--topk",
        "4", "--timeout", "120s");

    @TempDir
    private Path folder;

    private Program start(final String command, final String... more) throws Exception
    {
        final List<String> arguments = new ArrayList<>(List.of(command));
        arguments.addAll(SMALL);
        arguments.add("-Dtransload.kernels.mode=scalar");
        arguments.addAll(Arrays.asList(more));
        return Program.start(folder, arguments.toArray(new String[0]));
    }

    @Test
    void shouldWriteAConfigurationThatRunTakes() throws Exception
    {
        final Program program = start("tune", "--json", "--ranks-per-node", "1", "--channels", "3",
            "-Dtransload.scale-up.chunk=5", "--budget", "4s", "--out", "tuned.conf");
        final Program.End end = program.end();
        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        final JsonNode json = end.json();
        CliReference.assertValid("transload tune", json);
        assertTrue(json.get("trials").asInt() >= 1, end.out());
        assertEquals(4.0, json.get("budget_seconds").asDouble());
        assertEquals("3", json.at("/defaults/channels").asText());
        json.get("tried").forEach((tried) ->
        {
            assertFalse(tried.get("settings").has("channels"), "what was chosen is not varied");
            assertTrue(tried.get("micros").asDouble() > 0 || !tried.get("failure").isNull(), tried::toString);
        });
        assertEquals(List.of(), program.left());

        final Program.End run = start("run", "--json", "--config", "tuned.conf").end();
        assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
        assertTrue(run.json().get("verified").asBoolean());
        assertEquals(2, run.json().at("/world/ranks").asInt());
        final String written = Files.readString(folder.resolve("tuned.conf"));
        assertTrue(written.startsWith("# Written by transload tune for 2 nodes x 1 rank"), written);
        assertTrue(written.contains("channels=\"3\"") && written.contains("chunk=\"5\""), written);
    }

    /** Ranks are threads; a run in low latency takes the file, a normal one reads it too. */
    @Test
    void shouldTuneTheLowLatencyMode() throws Exception
    {
        final Program.End end = start("tune", "--json", "--in-process", "--mode", "low-latency", "--ranks-per-node",
            "1", "--max-tokens", "16", "-Dtransload.low-latency.near=never", "--budget", "6s", "--out",
            "tuned.conf").end();
        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        final JsonNode json = end.json();
        assertEquals("low-latency", json.get("mode").asText());
        assertTrue(json.get("world").asText().endsWith("low latency with at most 16 tokens a call"), end.out());
        assertEquals("never", json.at("/defaults/low-latency.near").asText());
        assertTrue(json.get("default_micros").asDouble() > 0, end.out());
        json.get("tried").forEach((tried) ->
        {
            assertFalse(tried.get("settings").has("low-latency.near"), "what was chosen is not varied");
            assertTrue(tried.get("micros").asDouble() > 0 || !tried.get("failure").isNull(), tried::toString);
        });

        final String written = Files.readString(folder.resolve("tuned.conf"));
        assertTrue(written.contains("max-tokens=\"16\"") && written.contains("near=never"), written);
        final Program.End run = start(
            "run", "--json", "--in-process", "--mode", "low-latency", "--config", "tuned.conf").end();
        assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
        assertTrue(run.json().get("verified").asBoolean());
        assertEquals(16, run.json().get("max_tokens").asInt());
        assertEquals(2, run.json().get("calls").asInt());
    }

    @Test
    void shouldWriteTheDefaultWhereTheBudgetIsTooShort() throws Exception
    {
        final Program.End end = start("tune", "--in-process", "--budget", "1ms").end();
        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        assertTrue(end.out().contains("the default stays: the budget is too short to try anything"),
            end.out());
        final String written = Files.readString(folder.resolve("transload-tuned.conf"));
        assertTrue(written.contains("# the default stays"), written);
        assertFalse(written.contains("chunk"), written);
    }

    @Test
    @Thorough("RunIT interrupts a run in the gate, whose ranks end in the same way")
    void shouldWriteTheBestSoFarWhenItIsInterrupted() throws Exception
    {
        final Program program = start("tune", "--budget", "1h", "--out", "tuned.conf");
        Waiting.until("four ranks run", () -> 4 == program.ranks().size());
        final List<ProcessHandle> ranks = program.ranks();
        program.process().destroy();
        final Program.End end = program.end();

        assertNotEquals(ExitCodes.DONE, end.exitCode());
        assertEquals(1, end.sentences().size(), end.err());
        assertTrue(end.sentences().get(0).startsWith("transload: the search ended early"), end.err());
        Waiting.until("no rank is left", () -> ranks.stream().noneMatch(ProcessHandle::isAlive));
        assertEquals(List.of(), program.left());
        final Program.End run = start("run", "--json", "--config", "tuned.conf").end();
        assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    }
}
