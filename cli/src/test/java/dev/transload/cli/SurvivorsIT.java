/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.gate.Thorough;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Worlds of real processes that lose ranks, one after the other. The others go on in their processes and check each
 * row. A seed chooses whom a fault hits and when.
 */
@Timeout(600)
class SurvivorsIT
{
    private static final int RANKS = 5;
    private static final int FAULTS = 2;
    private static final int STEPS_BETWEEN = 20;
    private static final int LAST_STEPS = 400;
    private static final long LONGEST_NS = 200_000_000;
    private static final Pattern STEP = Pattern.compile("step (\\d+) \\[");
    private static final Pattern RECOVERED = Pattern.compile("recovered in (\\d+) ms");

    private final List<Process> processes = new ArrayList<>();

    @TempDir
    private Path folder;

    @AfterEach
    void endWhatStillRuns()
    {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void shouldGoOnWithoutTheFirstRankAndAnother() throws Exception
    {
        liveThroughFaults(Map.of(), new Random(1), List.of(0, 3), false);
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4 })
    @Thorough("one world in the gate; here victims that are killed or stopped")
    void shouldGoOnOverMappedMemory(final long seed) throws Exception
    {
        liveThroughFaults(Map.of(), seed);
    }

    @ParameterizedTest
    @ValueSource(longs = { 5, 6, 7, 8 })
    @Thorough("one world in the gate; here victims that are killed or stopped")
    void shouldGoOnOverUdp(final long seed) throws Exception
    {
        liveThroughFaults(Map.of("TRANSLOAD_AERON_DATA_PATH", "messages"), seed);
    }

    @ParameterizedTest
    @ValueSource(strings = { "posix,self", "tcp,self" })
    @Thorough("one world in the gate; here victims that are killed or stopped")
    void shouldGoOnOverUcx(final String ways) throws Exception
    {
        UcxHost.require();
        final Map<String, String> variables = new HashMap<>(UcxHost.variables(ways));
        variables.put("TRANSLOAD_SCALE_OUT_TRANSPORT", "ucx");
        variables.put("TRANSLOAD_SCALE_UP_TRANSPORT", "ucx");
        for (int seed = 0; seed < 4; seed++)
        {
            liveThroughFaults(variables, 100L * ways.length() + seed);
        }
    }

    private void liveThroughFaults(final Map<String, String> variables, final long seed) throws Exception
    {
        final Random random = new Random(seed);
        final int first = random.nextInt(RANKS);
        final int second = (first + 1 + random.nextInt(RANKS - 1)) % RANKS;
        liveThroughFaults(variables, random, List.of(first, second), seed % 2 == 0);
    }

    private void liveThroughFaults(
        final Map<String, String> variables, final Random random, final List<Integer> victims,
        final boolean areStopped) throws Exception
    {
        processes.clear();
        final int port = freePort();
        for (int rank = 0; rank < RANKS; rank++)
        {
            processes.add(start(variables, rank, port));
        }

        final List<Integer> left = new ArrayList<>(List.of(0, 1, 2, 3, 4));
        for (final int victim : victims.subList(0, FAULTS))
        {
            awaitSteps(left, STEPS_BETWEEN);
            // Anywhere in a step.
            LockSupport.parkNanos(random.nextLong(LONGEST_NS));
            signal(victim, areStopped ? "STOP" : "KILL");
            left.remove(Integer.valueOf(victim));
            awaitLines(left, "[lost " + victim + "]", (said) -> said.contains("lost [" + victim + "]"));
        }

        awaitSteps(left, STEPS_BETWEEN);
        for (final int victim : areStopped ? victims : List.<Integer>of())
        {
            signal(victim, "CONT");
            assertTrue(processes.get(victim).waitFor(60, TimeUnit.SECONDS), "rank " + victim + " does not end");
            assertEquals(SurvivingRank.EVICTED, processes.get(victim).exitValue(), said(victim));
        }

        final int last = left.stream().mapToInt(this::steps).max().orElseThrow() + LAST_STEPS;
        for (final int rank : left)
        {
            processes.get(rank).getOutputStream().write((last + "\n").getBytes(StandardCharsets.UTF_8));
            processes.get(rank).getOutputStream().flush();
        }

        for (final int rank : left)
        {
            assertTrue(processes.get(rank).waitFor(120, TimeUnit.SECONDS), "rank " + rank + " does not end");
            assertEquals(0, processes.get(rank).exitValue(), said(rank));
            assertFalse(said(rank).contains("wrong"), said(rank));
            assertTrue(said(rank).contains("step " + (last - 1) + " " + left), said(rank));
            final Matcher recovered = RECOVERED.matcher(said(rank));
            for (int fault = 0; fault < FAULTS; fault++)
            {
                assertTrue(recovered.find(), said(rank));
            }
        }
    }

    private Process start(final Map<String, String> variables, final int rank, final int port) throws IOException
    {
        final ProcessBuilder builder = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC", "-Xmx256m", "--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED", "-cp",
            System.getProperty("java.class.path"), SurvivingRank.class.getName());
        builder.environment().putAll(Map.of("TRANSLOAD_RANK", String.valueOf(rank),
            "TRANSLOAD_WORLD_SIZE", String.valueOf(RANKS), "TRANSLOAD_RANKS_PER_NODE", "3,2",
            "TRANSLOAD_RENDEZVOUS", "127.0.0.1:" + port, "TRANSLOAD_RENDEZVOUS_FAILURE_TIMEOUT", "2s",
            "TRANSLOAD_TIMEOUTS_LIVENESS", "2s", "TRANSLOAD_TIMEOUTS_CALL", "30s",
            "TRANSLOAD_KERNELS_MODE", "scalar", "TRANSLOAD_MAX_HIDDEN", "512"));
        builder.environment().putAll(Map.of(
            "TRANSLOAD_SCALE_OUT_TRANSPORT", "aeron", "TRANSLOAD_SCALE_UP_TRANSPORT", "aeron"));
        builder.environment().putAll(variables);
        return builder.redirectErrorStream(true).redirectOutput(file(rank).toFile()).start();
    }

    private static int freePort() throws IOException
    {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            return socket.getLocalPort();
        }
    }

    private Path file(final int rank)
    {
        return folder.resolve("rank-" + rank);
    }

    private String said(final int rank)
    {
        try
        {
            return Files.readString(file(rank));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Last step that a rank has made. */
    private int steps(final int rank)
    {
        int last = 0;
        for (final Matcher step = STEP.matcher(said(rank)); step.find();)
        {
            last = Integer.parseInt(step.group(1));
        }

        return last;
    }

    private void awaitSteps(final List<Integer> ranks, final int more)
    {
        final Map<Integer, Integer> before = new HashMap<>();
        ranks.forEach((rank) -> before.put(rank, steps(rank)));
        for (final int rank : ranks)
        {
            Waiting.until("rank " + rank + " makes steps", () ->
            {
                requireAlive(rank);
                return steps(rank) >= before.get(rank) + more;
            });
        }
    }

    private void awaitLines(
        final List<Integer> ranks, final String what, final Predicate<String> isSaid)
    {
        for (final int rank : ranks)
        {
            Waiting.until("rank " + rank + " says " + what, () ->
            {
                requireAlive(rank);
                return isSaid.test(said(rank));
            });
        }
    }

    private void requireAlive(final int rank)
    {
        assertTrue(processes.get(rank).isAlive(), () -> said(rank));
    }

    private void signal(final int rank, final String name) throws IOException, InterruptedException
    {
        final Process kill =
            new ProcessBuilder("kill", "-" + name, String.valueOf(processes.get(rank).pid())).inheritIO().start();
        assertEquals(0, kill.waitFor());
    }
}
