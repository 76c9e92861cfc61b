/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.decode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Kills and stops processes during and between device steps, round by round, each in a world of its own that shares
 * GPUs. The other ranks must end each step in time, go on without the rank, and lose nothing of their own; a rank
 * that was stopped must end, too, when it goes on. A world without faults comes last: the GPUs are usable. Prints JSON;
 * the exit code is the number of rounds that failed.
 */
public final class StepsFaults
{
    /** Ranks are killed and stopped here. */
    private static final int FAULTY_CALL = 3;
    private static final int CALLS = 6;
    /** Waits of a dispatch, and one more (rule STP-7), and as much again for GPUs that ranks use in turn. */
    private static final int MOST_TIMEOUTS = 8;
    private static final int WORLDS_AHEAD = 2;
    private static final int MOST_SPIN_US = 3000;
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(100);

    /** Where the victim is. */
    private enum Moment
    {
        /** It has submitted nothing. */
        BETWEEN,
        /** Its dispatch waits for all others, which have not begun. */
        WAITING,
        /** All are in their dispatches. */
        IN_DISPATCH,
        /** All are in their combines. */
        IN_COMBINE
    }

    /** Signals, and none. */
    private enum Fault
    {
        KILL, STOP, NONE
    }

    /** What a rank or the parent has done: a file of the world's folder. */
    private enum Done
    {
        BEGIN, REACHED, SIGNALLED
    }

    private StepsFaults()
    {
    }

    /**
     * Runs it.
     *
     * @param arguments {@code key=value}: rounds (100), seconds (3600) after which no more rounds begin, ranks (3),
     *                  timeout-ms (400), devices (1), and library where the driver is not the system's.
     * @throws IOException          where a world's folder or a signal fails.
     * @throws InterruptedException where a wait for ranks ends early.
     */
    public static void main(final String[] arguments) throws IOException, InterruptedException
    {
        final Map<String, String> given = RankProcesses.parse(arguments);
        if (given.containsKey("rank"))
        {
            runRank(given);
        }
        else
        {
            System.exit(playRounds(given));
        }
    }

    private static int number(final Map<String, String> given, final String key, final int otherwise)
    {
        return Integer.parseInt(given.getOrDefault(key, Integer.toString(otherwise)));
    }

    private static int ranks(final Map<String, String> given)
    {
        return number(given, "ranks", 3);
    }

    private static Moment moment(final int round)
    {
        return Moment.values()[round / 2 % Moment.values().length];
    }

    private static int playRounds(final Map<String, String> given) throws IOException, InterruptedException
    {
        int rounds = number(given, "rounds", 100);
        final long longestNs = TimeUnit.SECONDS.toNanos(number(given, "seconds", 3600));
        final ArrayDeque<World> ahead = new ArrayDeque<>();
        final StringBuilder failures = new StringBuilder();
        int failed = 0;
        int begun = 0;
        final long beganNs = System.nanoTime();
        try
        {
            // The last world has no fault.
            for (int round = 0; round <= rounds; round++)
            {
                if (System.nanoTime() - beganNs > longestNs)
                {
                    rounds = Math.min(rounds, begun);
                }

                for (; begun <= rounds && begun <= round + WORLDS_AHEAD; begun++)
                {
                    ahead.add(new World(given, begun, begun == rounds ? Fault.NONE : Fault.values()[begun % 2]));
                }

                try (World world = ahead.remove())
                {
                    final long playedNs = System.nanoTime();
                    final String trouble = world.play();
                    System.err.printf(Locale.ROOT, "round %d of %d: %s, %.1f s%n", round, rounds,
                        null == trouble ? "right" : "wrong", (System.nanoTime() - playedNs) / 1e9);
                    if (null != trouble)
                    {
                        failed++;
                        failures.append(failures.length() > 0 ? ", " : "").append('"').append(trouble).append('"');
                        System.err.println(trouble + "\n" + world.said());
                    }
                }
            }
        }
        finally
        {
            ahead.forEach(World::close);
        }

        System.out.printf(Locale.ROOT, "{\"rounds\": %d, \"ranks\": %d, \"seconds\": %.1f, \"failed\": %d, " +
            "\"failures\": [%s]}%n", rounds, ranks(given), (System.nanoTime() - beganNs) / 1e9, failed, failures);
        return failed;
    }

    private static boolean hasDone(final Path folder, final Done what)
    {
        return Files.exists(folder.resolve(what.name()));
    }

    private static void tell(final Path folder, final Done what) throws IOException
    {
        Files.createFile(folder.resolve(what.name()));
    }

    private static void await(final Path folder, final Done what)
    {
        final long deadlineNs = System.nanoTime() + DEADLINE_NS;
        while (!hasDone(folder, what))
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new IllegalStateException(what + " was waited for in vain");
            }

            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    /** Processes of one round, which open their sessions at once and make calls when it is their turn. */
    private static final class World implements AutoCloseable
    {
        private final Path folder = Files.createTempDirectory("transload-faults-");
        private final int round;
        private final Fault fault;
        private final RankProcesses processes;

        World(final Map<String, String> given, final int round, final Fault fault) throws IOException
        {
            this.round = round;
            this.fault = fault;
            final Map<String, String> own = new HashMap<>(given);
            own.put("round", Integer.toString(round));
            own.put("fault", fault.name());
            processes = RankProcesses.start(StepsFaults.class, own, ranks(given), folder, true);
        }

        /** Whose turn it is to fail. */
        private int victim()
        {
            return round % processes.all().size();
        }

        /** Returns what is wrong, or null. */
        String play() throws IOException, InterruptedException
        {
            tell(folder, Done.BEGIN);
            final Process victim = processes.all().get(victim());
            if (Fault.NONE != fault)
            {
                final long deadlineNs = System.nanoTime() + DEADLINE_NS;
                while (!hasDone(folder, Done.REACHED))
                {
                    if (!victim.isAlive() || System.nanoTime() - deadlineNs > 0)
                    {
                        return describe("the victim did not come to its call");
                    }

                    LockSupport.parkNanos(PAUSE_NS);
                }

                signal(victim, fault.name());
                tell(folder, Done.SIGNALLED);
            }

            for (int rank = 0; rank < processes.all().size(); rank++)
            {
                final boolean isVictim = Fault.NONE != fault && rank == victim();
                if (!isVictim && !hasSucceeded(processes.all().get(rank)))
                {
                    return describe("rank " + rank + " did not end in time, or was wrong");
                }
            }

            if (Fault.STOP == fault)
            {
                signal(victim, "CONT");
                return hasSucceeded(victim) ? null : describe("the stopped rank did not end, or was wrong");
            }

            return null;
        }

        private static boolean hasSucceeded(final Process process) throws InterruptedException
        {
            return process.waitFor(DEADLINE_NS, TimeUnit.NANOSECONDS) && 0 == process.exitValue();
        }

        private static void signal(final Process process, final String name)
            throws IOException, InterruptedException
        {
            new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).inheritIO().start().waitFor();
        }

        private String describe(final String trouble)
        {
            return "round " + round + ", " + fault + " of rank " + victim() + " " + moment(round) + ": " + trouble;
        }

        String said() throws IOException
        {
            return processes.said();
        }

        @Override
        public void close()
        {
            processes.close();
        }
    }

    /** Calls of one rank, all of them held to what the host makes of them; an exception where anything is wrong. */
    private static void runRank(final Map<String, String> given) throws IOException
    {
        final Path folder = Path.of(given.get("folder"));
        final int rank = number(given, "rank", 0);
        final int ranks = ranks(given);
        final int round = number(given, "round", 0);
        final Fault fault = Fault.valueOf(given.get("fault"));
        final DecodeModel model = new DecodeModel(ranks, 1, 16, 1024, 4 * ranks, 3, 8,
            Duration.ofMillis(number(given, "timeout-ms", 400)));
        final Map<String, String> options =
            given.containsKey("library") ? Map.of("library", given.get("library")) : Map.of();
        try (DecodeRank decode = new DecodeRank(model, rank, rank % number(given, "devices", 1), options,
            new FileMeeting(folder, ranks)))
        {
            decode.expectLosses();
            await(folder, Done.BEGIN);
            final Turn turn = new Turn(decode, folder, round, Fault.NONE != fault, rank == round % ranks);
            for (int call = 1; call <= CALLS; call++)
            {
                turn.call(call, FAULTY_CALL == call ? moment(round) : null);
            }

            turn.requireAll(fault, round % ranks);
        }
    }

    /** Calls of a rank. */
    private static final class Turn
    {
        private final DecodeRank decode;
        private final Path folder;
        private final Random random;
        private final boolean isFaulty;
        private final boolean isVictim;

        Turn(
            final DecodeRank decode, final Path folder, final int round, final boolean isFaulty,
            final boolean isVictim)
        {
            this.decode = decode;
            this.folder = folder;
            this.random = new Random(round);
            this.isFaulty = isFaulty;
            this.isVictim = isVictim;
        }

        /** A dispatch and a combine; the moment is null but in the call in which a rank fails. */
        void call(final int call, final Moment moment) throws IOException
        {
            final Moment at = isFaulty ? moment : null;
            decode.fill(call);
            decode.spoilOutput();
            decode.await();
            if (isVictim && Moment.BETWEEN == at)
            {
                fail(0);
            }
            else if (!isVictim && Moment.WAITING == at)
            {
                await(folder, Done.SIGNALLED);
            }

            final long position = decode.dispatch(0, false);
            if (isVictim && (Moment.WAITING == at || Moment.IN_DISPATCH == at))
            {
                fail(Moment.WAITING == at ? MOST_SPIN_US : random.nextInt(MOST_SPIN_US));
            }

            end("dispatch", call, position);
            final boolean[] active = decode.active();
            require(0 == decode.wrongRows(call, active), "dispatch " + call + " has wrong rows");
            final long last = decode.combine(0, DecodeRank.ROWS);
            if (isVictim && Moment.IN_COMBINE == at)
            {
                fail(random.nextInt(MOST_SPIN_US));
            }

            end("combine", call, last);
            require(0 == decode.wrongSums(call, decode.active()), "combine " + call + " has wrong sums");
        }

        /** In a moment, the victim is here; then it waits for its signal. */
        private void fail(final int us) throws IOException
        {
            final long sinceNs = System.nanoTime();
            while (System.nanoTime() - sinceNs < TimeUnit.MICROSECONDS.toNanos(us))
            {
                Thread.onSpinWait();
            }

            tell(folder, Done.REACHED);
            await(folder, Done.SIGNALLED);
        }

        /** Until a step has ended, whatever becomes of others; a rank that was stopped has no clock to go by. */
        private void end(final String what, final int call, final long position)
        {
            final long deadlineNs = System.nanoTime() + DEADLINE_NS;
            while (decode.completedPosition() < position)
            {
                require(System.nanoTime() - deadlineNs < 0, what + " " + call + " does not end");
                LockSupport.parkNanos(PAUSE_NS);
            }

            final long ns = decode.status().endNs() - decode.status().beginNs();
            require(isVictim || ns < MOST_TIMEOUTS * decode.model.timeout().toNanos(),
                what + " " + call + " took " + ns + " ns");
        }

        /** Survivors have each other, and not the rank that failed for good. */
        void requireAll(final Fault fault, final int victim)
        {
            final boolean[] active = decode.active();
            for (int other = 0; other < active.length; other++)
            {
                require(isVictim && isFaulty || active[other] != (Fault.NONE != fault && other == victim),
                    "rank " + other + " is " + (active[other] ? "active" : "masked"));
            }
        }

        private void require(final boolean isSo, final String otherwise)
        {
            if (!isSo)
            {
                throw new IllegalStateException("rank " + decode.rank + ": " + otherwise);
            }
        }
    }
}
