/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.launch.LaunchPlan;
import dev.transload.cli.launch.Progress;
import dev.transload.cli.launch.RankEvents;
import dev.transload.cli.launch.RankProcess;
import dev.transload.cli.program.StandardStreams;
import dev.transload.cli.settings.Settings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A rank's process of which one, as its task says, gets a signal at a moment of a low-latency call. A shell stands
 * ready to send it, so that the signal comes within microseconds, amid what the rank does next.
 */
public final class FailingRank
{
    private FailingRank()
    {
    }

    /** When the signal comes: while a dispatch or a combine runs, or after the one and before the other. */
    enum Moment
    {
        DISPATCH, BETWEEN, COMBINE
    }

    /** What to do to whom, around the task of all ranks. */
    record Plan(int victim, Moment moment, String signal, long call, JsonNode task)
    {
    }

    public static void main(final String[] args) throws IOException
    {
        StandardStreams.claim();
        final int rank = Integer.getInteger(Settings.RANK_PROPERTY);
        final BufferedReader stdin = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        final ObjectMapper json = new ObjectMapper();
        final LaunchPlan outer = json.readValue(stdin.readLine(), LaunchPlan.class);
        final Plan failure = json.treeToValue(outer.task(), Plan.class);
        final LaunchPlan plan = new LaunchPlan(
            outer.taskName(), failure.task(), outer.worldSize(), outer.settings(), outer.folders(), outer.loss(),
            outer.world());
        final RankEvents events = new RankEvents(StandardStreams.result());
        System.exit(RankProcess.run(
            rank, plan, stdin, events, rank == failure.victim() ? new Trap(failure, events) : events));
    }

    /** Springs when the rank tells that it is about to dispatch or to combine. */
    private static final class Trap implements Progress
    {
        private static final Duration LONGEST = Duration.ofMinutes(2);

        private final Plan plan;
        private final RankEvents events;
        private final OutputStream trigger;
        private boolean isSprung;

        Trap(final Plan plan, final RankEvents events) throws IOException
        {
            this.plan = plan;
            this.events = events;
            this.trigger = new ProcessBuilder("sh", "-c",
                "read line; kill -" + plan.signal() + " " + ProcessHandle.current().pid()).start().getOutputStream();
        }

        @Override
        public void step(final String stage, final long done, final long all)
        {
            if (isSprung)
            {
                awaitSignal();
            }

            events.step(stage, done, all);
            final String expected = Moment.DISPATCH == plan.moment() ? "dispatching" : "combining";
            if (done == plan.call() && expected.equals(stage))
            {
                spring();
            }
        }

        @Override
        public void found(final JsonNode finding)
        {
            events.found(finding);
        }

        @Override
        public void note(final String line)
        {
            events.note(line);
        }

        private void spring()
        {
            try
            {
                trigger.write('\n');
                trigger.flush();
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }

            isSprung = true;
            if (Moment.BETWEEN == plan.moment())
            {
                awaitSignal();
            }
        }

        /** A rank that went on beyond the call might be done before the signal comes, and nobody would miss it. */
        private static void awaitSignal()
        {
            final long begin = System.nanoTime();
            while (System.nanoTime() - begin < LONGEST.toNanos())
            {
                LockSupport.parkNanos(LONGEST.toNanos());
            }

            throw new IllegalStateException("the signal does not come");
        }
    }
}
