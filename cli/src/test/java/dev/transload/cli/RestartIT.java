/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.gate.Thorough;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Worlds of real processes that lose ranks and get them back. A seed chooses whom a fault hits and when; each world
 * lives through several faults, after each of which all ranks make iterations again, whose rows are verified.
 */
@Timeout(600)
class RestartIT
{
    private static final int RANKS = 4;
    private static final int SIGINT = 130;
    private static final int FAULTS = 8;
    private static final long LONGEST_MS = 300;
    private static final long REPORTED_NS = 3_000_000_000L;
    private static final List<String> SMALL = List.of("run", "--json", "--tokens", "64", "--hidden", "256",
        "--experts", "16", "--topk", "4", "--timeout", "20s", "-Dtransload.kernels.mode=scalar",
        "-Dtransload.rendezvous.failure-timeout=2s");

    private final List<Program> programs = new ArrayList<>();

    @TempDir
    private Path folder;

    /** What befalls a rank. */
    private enum Fault
    {
        KILL, STOP
    }

    @AfterEach
    void endWhatStillRuns()
    {
        programs.forEach((program) -> program.process().destroyForcibly());
    }

    @Test
    void shouldFinishARunThatLostRankZero() throws Exception
    {
        final Program program = start(Map.of(), "--iterations", "1000", "--restart-failed", "1");
        awaitFullStrength(program, Map.of());
        final ProcessHandle victim = rank(program, 0).orElseThrow();
        victim.destroyForcibly();
        final Program.End end = program.end();

        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        final JsonNode summary = end.json();
        assertTrue(summary.get("verified").asBoolean());
        assertEquals(1000, summary.get("resumed_at").asInt() + summary.get("all_iterations").asInt());
        assertEquals(RANKS, summary.get("ranks").size());
        assertEquals(1, summary.get("restarts").size());
        assertEquals(0, summary.at("/restarts/0/rank").asInt());
        assertEquals("rank 0 (pid " + victim.pid() + ") was ended by SIGKILL",
            summary.at("/restarts/0/cause").asText());
        assertEquals(List.of(), program.left());
    }

    @Test
    @Thorough("SupervisorTest ends such a run in the gate")
    void shouldEndARunThatLosesMoreRanksThanMayBeStartedAgain() throws Exception
    {
        final Program program = start(Map.of(), "--iterations", "1000000", "--restart-failed", "1");
        awaitFullStrength(program, Map.of());
        rank(program, 1).orElseThrow().destroyForcibly();
        rank(program, 2).orElseThrow().destroyForcibly();
        final Program.End end = program.end();

        assertEquals(ExitCodes.PEER_FAILED, end.exitCode(), end.err());
        final String last = end.sentences().get(end.sentences().size() - 1);
        assertTrue(last.contains("was ended by SIGKILL") && last.contains("1 restart is allowed"), end.err());
        assertEquals(List.of(), program.left());
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2 })
    @Thorough("one loss in the gate; here worlds that live through eight faults")
    void shouldLiveThroughManyFaultsOverMappedMemory(final long seed) throws Exception
    {
        liveThroughFaults(Map.of(), seed);
    }

    @ParameterizedTest
    @ValueSource(longs = { 3, 4 })
    @Thorough("one loss in the gate; here worlds that live through eight faults")
    void shouldLiveThroughManyFaultsOverUdp(final long seed) throws Exception
    {
        liveThroughFaults(Map.of("TRANSLOAD_AERON_DATA_PATH", "messages"), seed);
    }

    @ParameterizedTest
    @ValueSource(strings = { "posix,self", "tcp,self" })
    @Thorough("one loss in the gate; here worlds that live through eight faults")
    void shouldLiveThroughManyFaultsOverUcx(final String ways) throws Exception
    {
        UcxHost.require();
        final Map<String, String> variables = UcxHost.both(ways);
        liveThroughFaults(variables, ways.length());
    }

    private void liveThroughFaults(final Map<String, String> variables, final long seed) throws Exception
    {
        final Random random = new Random(seed);
        final Program program =
            start(variables, "--iterations", "100000000", "--restart-failed", "100", "--verify-all");
        int lost = 0;
        for (int fault = 0; fault < FAULTS; fault++)
        {
            final Map<Integer, Long> before = awaitFullStrength(program, Map.of());
            // Anywhere in a call, between calls, or while rows are verified.
            LockSupport.parkNanos(random.nextLong(LONGEST_MS * 1_000_000));
            final List<Integer> order = new ArrayList<>(IntStream.range(0, RANKS).boxed().toList());
            Collections.shuffle(order, random);
            final List<Integer> victims = order.subList(0, random.nextInt(3) / 2 + 1);
            final Map<Integer, Long> hit = new HashMap<>();
            for (final int victim : victims)
            {
                final Fault kind = Fault.values()[random.nextInt(2)];
                hit.put(victim, before.get(victim));
                send(Fault.KILL == kind ? "KILL" : "STOP", before.get(victim));
            }

            lost += victims.size();
            awaitFullStrength(program, hit);
        }

        // What an interrupted run reports are iterations that all ranks have verified.
        LockSupport.parkNanos(REPORTED_NS);
        send("INT", program.process().pid());
        final Program.End end = program.end();
        assertEquals(SIGINT, end.exitCode(), end.err());
        assertFalse(end.out().isEmpty(), end.err());
        final JsonNode summary = end.json();
        assertTrue(summary.get("verified").asBoolean(), end.err());
        assertTrue(summary.get("restarts").size() >= lost, end.err());
        final BitSet restarted = new BitSet();
        summary.get("restarts").forEach((restart) -> restarted.set(restart.get("rank").asInt()));
        summary.get("restarts").forEach((restart) -> System.out.println(
            "back after " + restart.get("seconds") + " s: " + restart.get("cause").asText()));
        assertTrue(!restarted.isEmpty());
        assertEquals(List.of(), program.left());
    }

    /** Process of each rank, once all of them make iterations, none of them the process that had the rank before. */
    private Map<Integer, Long> awaitFullStrength(final Program program, final Map<Integer, Long> before)
    {
        final Map<Integer, Long> processes = new HashMap<>();
        Waiting.until("four ranks make iterations", () ->
        {
            processes.clear();
            for (int rank = 0; rank < RANKS; rank++)
            {
                final Long old = before.get(rank);
                final int number = rank;
                rank(program, rank).filter((process) -> null == old || process.pid() != old)
                    .filter((process) -> RankProcesses.hasReceived(process, folder))
                    .ifPresent((process) -> processes.put(number, process.pid()));
            }

            return RANKS == processes.size();
        });
        return processes;
    }

    private static Optional<ProcessHandle> rank(final Program program, final int rank)
    {
        return program.ranks().stream().filter(ProcessHandle::isAlive)
            .filter((process) -> RankProcesses.isRank(process, rank)).findFirst();
    }

    private static void send(final String signal, final long pid) throws IOException, InterruptedException
    {
        assertEquals(0, new ProcessBuilder("kill", "-" + signal, String.valueOf(pid)).start().waitFor());
    }

    private Program start(final Map<String, String> given, final String... options) throws IOException
    {
        final Map<String, String> variables = new HashMap<>(UcxHost.SHORT_RUN);
        variables.putAll(given);
        variables.merge(UcxHost.JVM_FLAGS, RankProcesses.tellingFlag(folder), (before, flag) -> before + " " + flag);
        final List<String> args = new ArrayList<>(SMALL);
        args.addAll(List.of(options));
        final Program program = Program.start(
            Files.createDirectories(folder.resolve("run")), List.of(), variables, args.toArray(String[]::new));
        programs.add(program);
        return program;
    }
}
