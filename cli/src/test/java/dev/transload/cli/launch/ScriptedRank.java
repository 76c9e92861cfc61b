/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.settings.Settings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A rank's process for tests of launching: the task is a text for each rank, which says what it does. */
public final class ScriptedRank
{
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(50);
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private ScriptedRank()
    {
    }

    public static void main(final String[] args) throws IOException
    {
        final int rank = Integer.getInteger(Settings.RANK_PROPERTY);
        final BufferedReader stdin = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        final ObjectMapper json = new ObjectMapper();
        final LaunchPlan plan = json.readValue(stdin.readLine(), LaunchPlan.class);
        final RankEvents events = new RankEvents(System.out);
        Files.writeString(Path.of(System.getProperty("java.io.tmpdir"), "left-by-rank-" + rank),
            String.valueOf(ProcessHandle.current().pid()));
        System.out.print("a library's unfinished line");
        events.joined();
        switch (plan.task().get(rank).asText())
        {
            case "report" -> events.done(json.createObjectNode().put("rank", rank).put("pid",
                ProcessHandle.current().pid()));
            case "mask dead 1" ->
            {
                awaitEndOfRank1();
                events.done(json.readTree("{\"rank\":" + rank + ",\"masked\":[1]}"));
            }
            case "mask 1" -> events.done(json.readTree("{\"rank\":" + rank + ",\"masked\":[1]}"));
            case "fail" -> end(events, Outcome.of(ExitCodes.UNAVAILABLE, "rank " + rank + " lacks a port"));
            case "echo" -> end(events, new Outcome(ExitCodes.PEER_FAILED, "another rank failed", true, ""));
            case "die" -> killSelf();
            case "wait" -> stdin.readLine();
            case "complain" ->
            {
                stdin.readLine();
                end(events, Outcome.of(ExitCodes.FAILED, "rank " + rank + " misses its files"));
            }
            default -> throw new IllegalArgumentException("unknown script");
        }
    }

    private static void end(final RankEvents events, final Outcome outcome)
    {
        events.failed(outcome);
        System.exit(outcome.exitCode());
    }

    /** It writes its number down as the first thing. */
    private static void awaitEndOfRank1() throws IOException
    {
        final Path file = Path.of(System.getProperty("java.io.tmpdir"), "left-by-rank-1");
        final long begin = System.nanoTime();
        while (!Files.exists(file) || Files.size(file) == 0 ||
            ProcessHandle.of(Long.parseLong(Files.readString(file))).filter(ProcessHandle::isAlive).isPresent())
        {
            if (System.nanoTime() - begin > LONGEST_NS)
            {
                throw new IllegalStateException("rank 1 does not end");
            }

            LockSupport.parkNanos(POLL_NS);
        }
    }

    /** As if the kernel had: no hook runs, nothing is said. */
    private static void killSelf()
    {
        try
        {
            new ProcessBuilder("kill", "-9", String.valueOf(ProcessHandle.current().pid())).start().waitFor();
        }
        catch (final IOException | InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }
}
