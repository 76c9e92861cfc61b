/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Processes of ranks that go on without lost ones. */
final class SurvivingWorld implements AutoCloseable
{
    /** Steps that no rank makes before it is told of the last one. */
    private static final int LAST_STEPS = 60;
    private static final int END_SECONDS = 120;
    private static final int ABORTED = 134;
    private static final Pattern LOST = Pattern.compile("lost \\[([^]]+)]");
    private static final Pattern STEP = Pattern.compile("step (\\d+) \\[");
    private static final Pattern RECOVERED = Pattern.compile("recovered in (\\d+) ms");

    private final Path folder;
    private final List<Process> processes = new ArrayList<>();
    /** Of each rank. */
    private final List<Command> commands = new ArrayList<>();
    /** What the latest process of each rank says. */
    private final List<Path> files = new ArrayList<>();
    /** Ranks of which another process was started. */
    private final Set<Integer> restarted = new TreeSet<>();

    private record Command(List<String> prefix, Map<String, String> variables)
    {
    }

    SurvivingWorld(final Path folder)
    {
        this.folder = folder;
    }

    /**
     * Starts the next rank.
     *
     * @param prefix     command that runs the command behind it.
     * @param variables  environment, by which it finds its place.
     */
    void start(final List<String> prefix, final Map<String, String> variables) throws IOException
    {
        final int rank = processes.size();
        commands.add(new Command(prefix, variables));
        files.add(folder.resolve("rank-" + rank));
        processes.add(start(rank));
    }

    /** Starts a rank again, as before, when its process has ended. */
    void restart(final int rank) throws IOException, InterruptedException
    {
        exitCode(rank);
        restarted.add(rank);
        files.set(rank, Files.createTempFile(folder, "rank-" + rank, ""));
        processes.set(rank, start(rank));
    }

    private Process start(final int rank) throws IOException
    {
        final List<String> command = new ArrayList<>(commands.get(rank).prefix);
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "--add-exports",
            "java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
            SurvivingRank.class.getName()));
        final ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(Map.of("TRANSLOAD_RANK", String.valueOf(rank),
            "TRANSLOAD_RENDEZVOUS_FAILURE_TIMEOUT", "2s", "TRANSLOAD_TIMEOUTS_LIVENESS", "7s",
            "TRANSLOAD_TIMEOUTS_CALL", "30s", "TRANSLOAD_KERNELS_MODE", "scalar", "TRANSLOAD_MAX_HIDDEN", "512",
            "TRANSLOAD_SCALE_OUT_TRANSPORT", "aeron", "TRANSLOAD_SCALE_UP_TRANSPORT", "aeron"));
        builder.environment().putAll(commands.get(rank).variables);
        return builder.redirectErrorStream(true).redirectOutput(files.get(rank).toFile()).start();
    }

    @Override
    public void close()
    {
        processes.forEach(Process::destroyForcibly);
    }

    String said(final int rank)
    {
        try
        {
            return Files.readString(files.get(rank));
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

    void awaitSteps(final List<Integer> ranks, final int more)
    {
        final Map<Integer, Integer> before = new HashMap<>();
        ranks.forEach((rank) -> before.put(rank, steps(rank)));
        await(ranks, more + " more steps", (rank) -> steps(rank) >= before.get(rank) + more);
    }

    /** Has ranks notice, at once or one by one, that others are lost. */
    void awaitLosses(final List<Integer> ranks, final Set<Integer> lost)
    {
        await(ranks, "the losses of " + lost, (rank) -> lost(rank).equals(lost));
    }

    /**
     * Has ranks notice that one of two others is lost.
     *
     * @return which of the two the first of the ranks was told of.
     */
    int awaitLossOfOne(final List<Integer> ranks, final int one, final int other)
    {
        await(ranks, "the loss of rank " + one + " or " + other, (rank) ->
            lost(rank).equals(Set.of(one)) || lost(rank).equals(Set.of(other)));
        return lost(ranks.get(0)).iterator().next();
    }

    /** Whom a rank was told that is lost. */
    Set<Integer> lost(final int rank)
    {
        final Set<Integer> lost = new TreeSet<>();
        for (final Matcher loss = LOST.matcher(said(rank)); loss.find();)
        {
            Stream.of(loss.group(1).split(", ")).map(Integer::valueOf).forEach(lost::add);
        }

        return lost;
    }

    /**
     * A rank that was left out ends, because it is told so. If no rank can tell it, it finds no majority. UCX 1.13 over
     * tcp may end a process that answers a put of a rank which its endpoint has given up.
     */
    void awaitEvicted(final int rank) throws InterruptedException
    {
        final int code = exitCode(rank);
        assertTrue(Set.of(SurvivingRank.EVICTED, SurvivingRank.FAILED).contains(code) || ABORTED == code &&
            said(rank).contains("Fatal: unexpected error: Endpoint timeout"), () -> said(rank));
    }

    private void await(final List<Integer> ranks, final String what, final Predicate<Integer> isSo)
    {
        for (final int rank : ranks)
        {
            Waiting.until("rank " + rank + ": " + what, () ->
            {
                assertTrue(processes.get(rank).isAlive(), () -> said(rank));
                return isSo.test(rank);
            });
        }
    }

    void signal(final int rank, final String name) throws IOException, InterruptedException
    {
        final Process kill =
            new ProcessBuilder("kill", "-" + name, String.valueOf(processes.get(rank).pid())).inheritIO().start();
        assertEquals(0, kill.waitFor());
    }

    /** Exit code of a rank that ends by itself. */
    int exitCode(final int rank) throws InterruptedException
    {
        assertTrue(processes.get(rank).waitFor(END_SECONDS, TimeUnit.SECONDS), () -> "does not end: " + said(rank));
        return processes.get(rank).exitValue();
    }

    /**
     * Has the ranks that are left make a last step, and end.
     *
     * @param least smallest number of recoveries of each of them that was not started again.
     * @param most  largest number.
     * @return how long each recovery of each of them took, in milliseconds.
     */
    List<Integer> end(final List<Integer> left, final int least, final int most)
        throws IOException, InterruptedException
    {
        final int last = left.stream().mapToInt(this::steps).max().orElseThrow() + LAST_STEPS;
        for (final int rank : left)
        {
            processes.get(rank).getOutputStream().write((last + "\n").getBytes(StandardCharsets.UTF_8));
            processes.get(rank).getOutputStream().flush();
        }

        final List<Integer> recoveries = new ArrayList<>();
        final List<List<String>> masked = new ArrayList<>();
        for (final int rank : left)
        {
            assertEquals(0, exitCode(rank), said(rank));
            assertFalse(said(rank).contains("wrong"), said(rank));
            assertTrue(said(rank).contains("step " + (last - 1) + " " + left), said(rank));
            masked.add(said(rank).lines().filter((line) -> line.contains(", rows by ")).toList());
            int found = 0;
            for (final Matcher recovery = RECOVERED.matcher(said(rank)); recovery.find(); found++)
            {
                recoveries.add(Integer.parseInt(recovery.group(1)));
            }

            assertTrue((restarted.contains(rank) ? 0 : least) <= found && found <= most,
                found + " recoveries: " + said(rank));
        }

        final List<String> all = masked.stream().max(Comparator.comparingInt(List::size)).orElseThrow();
        masked.forEach((steps) -> assertTrue(all.isEmpty() || !steps.isEmpty(), "a rank that made no step"));
        masked.forEach((steps) -> assertEquals(all.subList(all.size() - steps.size(), all.size()), steps,
            "steps that ranks have made without different ones"));
        return recoveries;
    }
}
