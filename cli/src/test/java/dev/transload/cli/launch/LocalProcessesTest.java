/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real processes, each doing what a script says. */
@Timeout(60)
class LocalProcessesTest
{
    private final List<String> chatter = Collections.synchronizedList(new ArrayList<>());

    @Test
    void shouldCollectReportsByRankAndPassOnChatter()
    {
        final RanksResult result = run("report", "report", "report");

        assertEquals(ExitCodes.DONE, result.outcome().exitCode());
        for (int rank = 0; rank < 3; rank++)
        {
            assertEquals(rank, result.reports().get(rank).get("rank").asInt());
        }

        assertTrue(chatter.contains("rank 1: a library's unfinished line"), chatter.toString());
        assertTrue(chatter.stream().noneMatch((line) -> line.contains("incubator")), chatter.toString());
    }

    @Test
    void shouldNameTheRankThatWasKilled() throws IOException
    {
        final RanksResult result = run("echo", "die", "wait");

        assertEquals(ExitCodes.PEER_FAILED, result.outcome().exitCode());
        assertTrue(result.outcome().sentence().matches("rank 1 \\(pid \\d+\\) was ended by SIGKILL.*"),
            result.outcome().sentence());
        assertNothingIsLeft();
    }

    @Test
    void shouldTellTheCauseAndNotItsEchoes() throws IOException
    {
        final RanksResult result = run("echo", "wait", "fail");

        assertEquals(ExitCodes.UNAVAILABLE, result.outcome().exitCode());
        assertEquals("rank 2 lacks a port", result.outcome().sentence());
        assertNothingIsLeft();
    }

    @Test
    void shouldNotTakeForTheCauseWhatARankSaysOnceItWasToldToEnd() throws IOException
    {
        final RanksResult result = run("complain", "complain", "echo");

        assertEquals("another rank failed", result.outcome().sentence());
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @CsvSource({ "mask dead 1, die, was ended by SIGKILL", "mask 1, wait, did not answer" })
    void shouldGoOnWithoutARankThatTheOthersMasked(final String others, final String fate, final String told)
        throws IOException
    {
        final RanksResult result = run(PeerLoss.MASK, others, fate, others);

        assertEquals(ExitCodes.PEER_FAILED, result.outcome().exitCode());
        assertTrue(result.outcome().sentence().matches(
            "rank 1 \\(pid \\d+\\) " + told + "; the other ranks went on without it"), result.outcome().sentence());
        assertEquals(0, result.reports().get(0).get("rank").asInt());
        assertNull(result.reports().get(1));
        assertEquals(2, result.reports().get(2).get("rank").asInt());
        assertNothingIsLeft();
    }

    @Test
    void shouldEndAllWhenNoneCanGoOn() throws IOException
    {
        final RanksResult result = run(PeerLoss.MASK, "fail", "die", "wait");

        assertEquals(ExitCodes.PEER_FAILED, result.outcome().exitCode());
        assertTrue(result.outcome().sentence().endsWith("; the other ranks were ended"), result.outcome().sentence());
        assertEquals(List.of(), result.reports());
        assertNothingIsLeft();
    }

    private RanksResult run(final String... scripts)
    {
        return run(PeerLoss.END, scripts);
    }

    private RanksResult run(final PeerLoss loss, final String... scripts)
    {
        final ArrayNode task = new ObjectMapper().createArrayNode();
        List.of(scripts).forEach(task::add);
        return new LocalProcesses(ScriptedRank.class.getName(), Progress.NONE, chatter::add).run("script", task,
            Settings.load(null, Map.of(), Map.of(), Map.of()), scripts.length, loss, 0);
    }

    private void assertNothingIsLeft() throws IOException
    {
        assertEquals(0, ProcessHandle.current().children().filter(ProcessHandle::isAlive).count());
        final String mine = "transload-run-" + ProcessHandle.current().pid() + "-";
        for (final Path parent : List.of(Path.of(System.getProperty("java.io.tmpdir")), Path.of("/dev/shm")))
        {
            if (Files.isDirectory(parent))
            {
                try (Stream<Path> left = Files.list(parent))
                {
                    assertEquals(List.of(), left.filter((path) ->
                        path.getFileName().toString().startsWith(mine)).toList());
                }
            }
        }
    }
}
