/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Processes that are none. The time limit is below the grace that ranks of a formed world get here. */
@Timeout(60)
class SupervisorTest
{
    private static final Duration LONG = Duration.ofHours(1);
    private static final int ABORTED = 128 + 6;
    private static final int KILLED = 128 + 9;
    private static final int SIGINT = 128 + 2;

    private final LinkedBlockingQueue<RankChild.News> signals = new LinkedBlockingQueue<>();
    private final List<String> notes = Collections.synchronizedList(new ArrayList<>());

    @TempDir
    private Path runFolder;

    @TempDir
    private Path keeper;

    @ParameterizedTest
    @EnumSource(PeerLoss.class)
    void shouldEndAllAtOnceWhenARankIsLostBeforeTheWorldIsFormed(final PeerLoss loss) throws InterruptedException
    {
        final RanksResult result = watch(loss, LONG,
            FakeProcess.waiting(0), FakeProcess.dead(1, KILLED, ""), FakeProcess.waiting(2));

        assertEquals(ExitCodes.PEER_FAILED, result.outcome().exitCode());
        assertEquals("rank 1 (pid 1001) was ended by SIGKILL; the other ranks were ended", result.outcome().sentence());
    }

    @Test
    void shouldNameTheStoppedRankAloneOfThoseThatStart() throws InterruptedException
    {
        final RanksResult result = watch(PeerLoss.END, Duration.ofMillis(300),
            FakeProcess.waiting(0), FakeProcess.waiting(1), FakeProcess.stopped(2), FakeProcess.waiting(3));

        assertEquals(ExitCodes.PEER_FAILED, result.outcome().exitCode());
        assertTrue(result.outcome().sentence().matches("rank 2 \\(pid 1002\\) did nothing for .* stopped, or hangs; " +
            "the other ranks were ended"), result.outcome().sentence());
    }

    @Test
    void shouldLeaveAStoppedRankToTheOthersOnceTheWorldIsFormed() throws InterruptedException
    {
        final FakeProcess teller = FakeProcess.waiting(0);
        final Thread rank = new Thread(() ->
        {
            teller.events().joined();
            teller.events().done(new ObjectMapper().createObjectNode().putPOJO("masked", new int[]{ 1 }));
            teller.end(0);
        });
        rank.start();
        final RanksResult result =
            watch(PeerLoss.MASK, Duration.ofSeconds(10), teller, FakeProcess.stopped(1));
        rank.join();

        assertEquals("rank 1 (pid 1001) did not answer; the other ranks went on without it",
            result.outcome().sentence());
    }

    @Test
    void shouldGiveWhatRanksHaveWhenASignalComes() throws InterruptedException
    {
        final FakeProcess measuring = FakeProcess.waiting(0);
        final FakeProcess warming = FakeProcess.waiting(1);
        final FakeProcess dying = FakeProcess.waiting(2);
        final Thread ranks = new Thread(() ->
        {
            final RankEvents events = measuring.events();
            events.joined();
            events.checkpoint(() -> new ObjectMapper().createObjectNode().put("iterations", 7));
            events.step("a signal comes", 1, 1);
            awaitQuestion(measuring);
            dying.end(KILLED);
            events.partial();
            awaitQuestion(warming);
            warming.events().partial();
        });
        ranks.start();
        final RanksResult result = watch(PeerLoss.END, LONG, measuring, warming, dying);
        ranks.join();

        assertTrue(result.isInterrupted());
        assertEquals(SIGINT, result.outcome().exitCode());
        assertEquals("interrupted by SIGINT", result.outcome().sentence());
        assertEquals(7, result.reports().get(0).get("iterations").asInt());
        assertNull(result.reports().get(1), "its warm-up is not over");
        assertNull(result.reports().get(2), "it is dead");
    }

    @Test
    void shouldNotWaitForRanksThatHaveNotMetWhenASignalComes() throws InterruptedException
    {
        signals.add(RankChild.News.signal(SIGINT));
        final RanksResult result = watch(PeerLoss.END, LONG, FakeProcess.stopped(0), FakeProcess.waiting(1));

        assertEquals("interrupted by SIGINT", result.outcome().sentence());
        assertEquals(Arrays.asList(null, null), result.reports());
    }

    private static void awaitQuestion(final FakeProcess process)
    {
        while (!process.told().contains(RankChild.ASK))
        {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldKeepTheLastWordsOfARankThatCrashed() throws InterruptedException, IOException
    {
        Files.writeString(CrashReport.fileOf(runFolder, 1), "# what the JVM found\n");
        final RanksResult result = watch(PeerLoss.END, LONG, FakeProcess.waiting(0),
            FakeProcess.dead(1, ABORTED, "line 1\n".repeat(30) + "ucp_ep.c: Assertion failed\n"));

        final Path kept = keeper.resolve("transload-crash-of-rank-1-pid-1001.log");
        assertEquals("rank 1 (pid 1001) was ended by SIGABRT (its last lines and crash report are in " + kept +
            "); the other ranks were ended", result.outcome().sentence());
        assertEquals("line 1\n".repeat(19) + "ucp_ep.c: Assertion failed\n# what the JVM found\n",
            Files.readString(kept));
        assertEquals(20, notes.size(), notes.toString());
        assertEquals("rank 1: ucp_ep.c: Assertion failed", notes.get(19));
    }

    @Test
    void shouldOverwriteNothingWithTheLastWordsOfARank() throws InterruptedException, IOException
    {
        final Path target = Files.writeString(runFolder.resolve("target"), "as it was");
        Files.createSymbolicLink(keeper.resolve("transload-crash-of-rank-1-pid-1001.log"), target);
        final RanksResult result =
            watch(PeerLoss.END, LONG, FakeProcess.waiting(0), FakeProcess.dead(1, ABORTED, "line\n"));

        assertEquals("as it was", Files.readString(target));
        assertEquals("rank 1 (pid 1001) was ended by SIGABRT; the other ranks were ended", result.outcome().sentence());
    }

    @Test
    void shouldKeepNothingOfARankThatSomebodyKilled() throws InterruptedException, IOException
    {
        watch(PeerLoss.END, LONG, FakeProcess.waiting(0), FakeProcess.dead(1, KILLED, "line\n"));

        assertEquals(List.of(), notes);
        try (Stream<Path> kept = Files.list(keeper))
        {
            assertEquals(0, kept.count());
        }
    }

    @Test
    void shouldNameTheRankThatDiesBeforeItIsToldItsPlan()
    {
        final RanksResult result = launch(Map.of(), List.of(
            FakeProcess.waiting(0), FakeProcess.dead(1, KILLED, ""), FakeProcess.waiting(2)));

        assertEquals(ExitCodes.PEER_FAILED, result.outcome().exitCode());
        assertEquals("rank 1 (pid 1001) was ended by SIGKILL; the other ranks were ended", result.outcome().sentence());
    }

    @Test
    void shouldNameTheRankThatCannotBeStarted()
    {
        final LocalProcesses processes = new LocalProcesses((rank, files, settings) ->
        {
            if (1 == rank)
            {
                throw new IOException("no more processes");
            }

            return FakeProcess.waiting(rank);
        }, Progress.NONE, notes::add);
        final CommandException ex = assertThrows(
            CommandException.class, () -> processes.run("task", task(), settings(Map.of()), 3));

        assertEquals(ExitCodes.UNAVAILABLE, ex.exitCode());
        assertEquals("rank 1 cannot be started: no more processes", ex.getMessage());
    }

    @ParameterizedTest
    @CsvSource({ ", 10m, 2m", "5s, 5s, 5s" })
    void shouldGiveRanksOfThisHostTimeToStartUnlessTimeIsChosen(
        final String chosen, final String meeting, final String opening) throws IOException
    {
        final FakeProcess rank0 = FakeProcess.waiting(0);
        launch(null == chosen ? Map.of() :
            Map.of("transload.rendezvous.timeout", chosen, "transload.timeouts.open", chosen),
            List.of(rank0, FakeProcess.dead(1, KILLED, "")));

        final Settings told =
            Settings.parse(new ObjectMapper().readValue(rank0.told(), LaunchPlan.class).settings());
        assertEquals(meeting, told.config().getString("transload.rendezvous.timeout"));
        assertEquals(opening, told.config().getString("transload.timeouts.open"));
    }

    @Test
    void shouldEndWhatStartsAfterASignalEndedTheRun()
    {
        final FakeProcess process = FakeProcess.waiting(0);
        final RunResources resources = new RunResources();
        resources.close();

        assertThrows(CommandException.class, () -> resources.add(new RankChild(0, process)));
        assertFalse(process.isAlive());
        assertThrows(CommandException.class, () -> resources.add(PrivateFolder.create(keeper)));
        assertEquals(0, keeper.toFile().list().length);
    }

    @Test
    void shouldStartAKilledRankAgainAndHaveAllMeet() throws InterruptedException
    {
        final FakeProcess survivor = FakeProcess.waiting(0);
        final FakeProcess killed = FakeProcess.waiting(1);
        final FakeProcess again = FakeProcess.waiting(1);
        final Thread ranks = new Thread(() ->
        {
            final RankEvents events = survivor.events();
            events.joined();
            events.step("its last", 1, 1);
            awaitNote("its last");
            killed.end(KILLED);
            events.lost(List.of(1), Outcome.of(ExitCodes.PEER_FAILED, "rank 1 is gone"));
            awaitTold(survivor, RankChild.JOIN + 1);
            // A report that was under way when the loss came.
            events.done(report(13));
            final RankEvents others = again.events();
            for (final RankEvents one : List.of(events, others))
            {
                one.enter(1);
                one.joined();
            }

            others.done(report(1));
            events.done(report(0));
            awaitTold(survivor, RankChild.END);
            awaitTold(again, RankChild.END);
            survivor.end(0);
            again.end(0);
        });
        ranks.start();
        final RanksResult result = watch(PeerLoss.RESTART, LONG, new Restarts(2, 1, LONG, (rank, world) ->
        {
            assertEquals(1, rank);
            assertEquals(1, world);
            return listened(again);
        }), survivor, killed);
        ranks.join();

        assertEquals(Outcome.DONE, result.outcome());
        assertEquals(0, result.reports().get(0).get("figure").asInt());
        assertEquals(1, result.reports().get(1).get("figure").asInt());
        assertEquals(1, result.restarts().size());
        assertEquals("rank 1 (pid 1001) was ended by SIGKILL", result.restarts().get(0).cause());
        assertTrue(result.restarts().get(0).seconds() > 0);
        assertTrue(notes.contains("rank 1 (pid 1001) was ended by SIGKILL; it is started again (pid 1001)"),
            notes.toString());
    }

    @Test
    void shouldEndAllWhenNoMoreRestartsAreAllowed() throws InterruptedException
    {
        final FakeProcess survivor = FakeProcess.waiting(0);
        final FakeProcess killed = FakeProcess.waiting(1);
        final Thread ranks = new Thread(() ->
        {
            survivor.events().joined();
            survivor.events().step("its last", 1, 1);
            awaitNote("its last");
            killed.end(KILLED);
            survivor.events().lost(List.of(1), Outcome.of(ExitCodes.PEER_FAILED, "rank 1 is gone"));
        });
        ranks.start();
        final RanksResult result = watch(PeerLoss.RESTART, LONG, new Restarts(2, 0, LONG, (rank, world) ->
            listened(FakeProcess.waiting(rank))), survivor, killed);
        ranks.join();

        assertEquals(ExitCodes.PEER_FAILED, result.outcome().exitCode());
        assertEquals("rank 1 (pid 1001) was ended by SIGKILL, and 0 restarts are allowed; the other ranks were ended",
            result.outcome().sentence());
    }

    @Test
    void shouldStartAStoppedRankAgainThatTheOthersName() throws InterruptedException
    {
        final FakeProcess survivor = FakeProcess.waiting(0);
        final FakeProcess stopped = FakeProcess.waiting(1);
        final FakeProcess again = FakeProcess.waiting(1);
        final Thread ranks = new Thread(() ->
        {
            survivor.events().joined();
            survivor.events().lost(List.of(1), Outcome.of(ExitCodes.PEER_FAILED, "rank 1 is silent"));
            awaitTold(survivor, RankChild.JOIN + 1);
            for (final FakeProcess one : List.of(survivor, again))
            {
                final RankEvents events = one.events();
                events.enter(1);
                events.joined();
                events.done(report(7));
            }

            awaitTold(survivor, RankChild.END);
            survivor.end(0);
            again.end(0);
        });
        ranks.start();
        final RanksResult result = watch(PeerLoss.RESTART, LONG, new Restarts(2, 1, LONG, (rank, world) ->
        {
            assertTrue(!stopped.isAlive(), "it must not reach anything any more");
            return listened(again);
        }), survivor, stopped);
        ranks.join();

        assertEquals(Outcome.DONE, result.outcome());
        assertEquals("rank 1 (pid 1001) did not answer", result.restarts().get(0).cause());
    }

    /** A connection that breaks again and again must come to an end, too. */
    @Test
    void shouldCountWorldsInWhichNoProcessWasLost() throws InterruptedException
    {
        final FakeProcess first = FakeProcess.waiting(0);
        final FakeProcess second = FakeProcess.waiting(1);
        final Thread ranks = new Thread(() ->
        {
            for (int world = 0; world < 2; world++)
            {
                for (final FakeProcess one : List.of(first, second))
                {
                    final RankEvents events = one.events();
                    events.enter(world);
                    events.joined();
                    events.lost(List.of(), Outcome.of(ExitCodes.PEER_FAILED, "a rank is gone"));
                }

                if (0 == world)
                {
                    awaitTold(second, RankChild.JOIN + 1);
                }
            }
        });
        ranks.start();
        final RanksResult result = watch(PeerLoss.RESTART, LONG, new Restarts(2, 1, LONG, (rank, world) ->
        {
            throw new AssertionError("no process was lost");
        }), first, second);
        ranks.join();

        assertEquals("ranks lost each other, and 1 restart is allowed; the other ranks were ended",
            result.outcome().sentence());
    }

    /** Its report is there; whatever it would do now, nobody needs it. */
    @Test
    void shouldNotStartARankAgainOnceAllAreDone() throws InterruptedException
    {
        final FakeProcess first = FakeProcess.waiting(0);
        final FakeProcess second = FakeProcess.waiting(1);
        final Thread ranks = new Thread(() ->
        {
            first.events().joined();
            second.events().done(report(1));
            second.events().step("done", 1, 1);
            awaitNote("done");
            second.end(KILLED);
            awaitTold(first, RankChild.END);
            first.end(0);
        });
        ranks.start();
        final Thread late = new Thread(() ->
        {
            awaitNote("done");
            // Behind the news of the exit.
            while (second.isAlive() || !signals.isEmpty())
            {
                Thread.onSpinWait();
            }

            first.events().done(report(0));
        });
        late.start();
        final RanksResult result = watch(PeerLoss.RESTART, LONG, new Restarts(2, 1, LONG, (rank, world) ->
        {
            throw new AssertionError("all are done");
        }), first, second);
        ranks.join();
        late.join();

        assertEquals(Outcome.DONE, result.outcome());
        assertEquals(0, result.reports().get(0).get("figure").asInt());
    }

    private RankChild listened(final FakeProcess process)
    {
        final RankChild child = new RankChild((int)process.pid() - FakeProcess.FIRST_PID, process);
        child.listen(signals, (line) -> {});
        return child;
    }

    private static JsonNode report(final int figure)
    {
        return new ObjectMapper().createObjectNode().put("figure", figure);
    }

    private void awaitNote(final String note)
    {
        while (!notes.contains(note))
        {
            Thread.onSpinWait();
        }
    }

    private static void awaitTold(final FakeProcess process, final String line)
    {
        while (!process.told().contains(line + "\n"))
        {
            Thread.onSpinWait();
        }
    }

    private RanksResult watch(final PeerLoss loss, final Duration idle, final FakeProcess... processes)
        throws InterruptedException
    {
        return watch(loss, idle, Restarts.NONE, processes);
    }

    private RanksResult watch(
        final PeerLoss loss, final Duration idle, final Restarts restarts, final FakeProcess... processes)
        throws InterruptedException
    {
        final List<RankChild> children = new ArrayList<>();
        for (final FakeProcess process : processes)
        {
            children.add(listened(process));
        }

        return new Supervisor(children, signals,
            new Supervisor.Timeouts(LONG, LONG, idle, LONG), noting(), loss,
            new CrashReport(runFolder, List.of(runFolder.resolve("absent"), keeper)), restarts).watch();
    }

    private Progress noting()
    {
        return new Progress()
        {
            @Override
            public void step(final String stage, final long done, final long all)
            {
                notes.add(stage);
                if ("a signal comes".equals(stage))
                {
                    signals.add(RankChild.News.signal(SIGINT));
                }
            }

            @Override
            public void note(final String line)
            {
                notes.add(line);
            }
        };
    }

    private RanksResult launch(final Map<String, String> keys, final List<FakeProcess> processes)
    {
        return new LocalProcesses((rank, files, settings) -> processes.get(rank), Progress.NONE, notes::add)
            .run("task", task(), settings(keys), processes.size());
    }

    private static Settings settings(final Map<String, String> keys)
    {
        return Settings.load(null, keys, Map.of(), Map.of());
    }

    private static JsonNode task()
    {
        return new ObjectMapper().createObjectNode();
    }
}
