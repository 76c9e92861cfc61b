/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.cli.input.RunInput;
import dev.transload.cli.launch.Progress;
import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.verify.Expectation;
import dev.transload.cli.verify.ExpertAnswers;
import dev.transload.cli.verify.Injection;
import dev.transload.cli.verify.Outputs;
import dev.transload.cli.verify.SamplePlan;
import dev.transload.cli.verify.Verification;
import dev.transload.engine.Engine;
import dev.transload.rendezvous.Rendezvous;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.IntConsumer;

/**
 * Verification of one rank's iterations, as {@link SamplePlan} says. What an iteration before left must not pass for
 * what a verified one delivers: each verified iteration sends rows of other signs than the one before it, and finds all
 * other outputs overwritten. The last one sends the input as it is.
 */
final class RunChecks
{
    /** Verification of one rank may take much longer than that of another. */
    static final Duration MEETING = Duration.ofMinutes(10);

    /** Told of verified iterations. */
    @FunctionalInterface
    interface Observer
    {
        /** Tells nobody. */
        Observer NONE = (rank, iteration, outputs, difference) -> {};

        /**
         * An iteration was verified.
         *
         * @param rank       which delivered it.
         * @param iteration  number, those of the warm-up included.
         * @param outputs    as the JVM sees them, until the next call.
         * @param difference what was found, null when all is as expected.
         */
        void verified(int rank, int iteration, Outputs outputs, String difference);
    }

    /** Ranks whose verification may differ by this part of a call's deadline, or more, wait for each other outside. */
    private static final int PART_OF_A_DEADLINE = 16;

    private final RankPlace place;
    private final RankEngine rank;
    private final RunTask task;
    private final RankTensors tensors;
    private final Calls calls;
    private final RunMeters meters;
    private final Observer observer;
    /** Of all verifications; the engine frees their memory. */
    private final HostMirrors mirrors;
    private final SamplePlan plan;
    private final Expectation[] expectations;
    private final int all;
    private int variant;
    private int prepared = -1;
    private long preparedNs;
    private long agreedNs;
    private long pausedBeforeNs;
    private boolean isSlow;
    private int verified;
    private String failure;

    /**
     * Of a run.
     *
     * @param place   of this rank.
     * @param rank    which makes the calls.
     * @param task    of all ranks.
     * @param input   of all ranks.
     * @param tensors of this rank.
     * @param calls   to verify.
     * @param meters  which don't count what is done here.
     * @param observer told of each verified iteration.
     */
    RunChecks(
        final RankPlace place,
        final RankEngine rank,
        final RunTask task,
        final RunInput input,
        final RankTensors tensors,
        final Calls calls,
        final RunMeters meters,
        final Observer observer)
    {
        this.place = place;
        this.rank = rank;
        this.task = task;
        this.tensors = tensors;
        this.calls = calls;
        this.meters = meters;
        this.observer = observer;
        this.mirrors = new HostMirrors(rank.engine()::allocateHost);
        this.all = task.warmup() + task.iterations();
        this.plan = new SamplePlan(all, task.verifyAll());
        final Engine engine = rank.engine();
        final ExpertAnswers answers = new ExpertAnswers(task.answers(), input.world().experts(), input.hidden());
        this.expectations = rank.beside(() -> new Expectation[]{
            new Expectation(input, place.rank(), engine.config(), answers),
            new Expectation(input.negated(), place.rank(), engine.config(), answers) });
        this.failure = rank.beside(() ->
            Verification.ofLayout(expectations[0], engine.layout(tensors.topkIdx(), input.experts())));
        if (answers.isDistinct())
        {
            rank.runBeside(() -> tensors.fillAnswers(expectations[0]));
        }
    }

    /** Whether the iteration will be verified. */
    boolean isNext(final int iteration)
    {
        return plan.isNext(iteration);
    }

    /** Before an iteration. */
    void before(final int iteration)
    {
        if (plan.isNext(iteration) && prepared != iteration)
        {
            meters.pause();
            prepare(iteration);
            calls.comeTogether();
            meters.resume();
        }

        if (0 == iteration)
        {
            agreedNs = System.nanoTime();
            pausedBeforeNs = meters.pausedNs();
        }
    }

    /** After an iteration, which is verified if its turn has come; then told of, before anything is measured again. */
    void after(final int iteration, final Rendezvous rendezvous, final IntConsumer told)
    {
        if (!plan.isNext(iteration))
        {
            return;
        }

        meters.pause();
        final long begin = System.nanoTime();
        rank.runBeside(() -> verify(iteration));
        told.accept(iteration);
        final boolean isLast = all - 1 == iteration;
        final boolean isMeeting = plan.verified(preparedNs + System.nanoTime() - begin) || isSlow;
        if (!isLast)
        {
            if (isMeeting)
            {
                agree(iteration, begin, rendezvous);
            }

            if (iteration + 1 == plan.next())
            {
                prepare(iteration + 1);
            }
            else
            {
                // The iterations before the next verified one leave other rows than it must deliver.
                rank.runBeside(() -> turn(1 - variantOf(plan.next())));
            }

            calls.comeTogether();
        }

        meters.resume();
    }

    /** Iterations that were verified, with whatever result. */
    int verified()
    {
        return verified;
    }

    /** What was found, null when all is as expected. */
    String failure()
    {
        return failure;
    }

    /** Variants alternate, counted from the last iteration. */
    private int variantOf(final long iteration)
    {
        return (int)(all - 1 - iteration & 1);
    }

    private void prepare(final int iteration)
    {
        final long begin = System.nanoTime();
        rank.runBeside(() ->
        {
            turn(variantOf(iteration));
            tensors.poisonOutputs(!task.cached());
        });
        prepared = iteration;
        preparedNs = System.nanoTime() - begin;
    }

    private void turn(final int wanted)
    {
        if (wanted != variant)
        {
            tensors.negate();
            variant = wanted;
        }
    }

    private void verify(final int iteration)
    {
        final boolean isLast = all - 1 == iteration;
        final Expectation expectation = expectations[variantOf(iteration)];
        Outputs found = mirrors.of(calls.outputs());
        if (isLast && null != task.injection())
        {
            found = Injection.named(task.injection()).spoil(expectation, found);
        }

        final String difference =
            Verification.of(expectation, found, 0 == iteration || isLast ? place.progress() : Progress.NONE);
        if (null == failure && null != difference)
        {
            failure = all > 1 ? difference + " (iteration " + (iteration + 1) + " of " + all + ")" : difference;
        }

        verified++;
        observer.verified(place.rank(), iteration, found, difference);
        if (isLast && null != task.output())
        {
            new RankFile(expectation, found, tensors, mirrors).write(Path.of(task.output()));
        }
    }

    /** All ranks have the same figures then, and come to the same plan. */
    private void agree(final int iteration, final long verifyBeginNs, final Rendezvous rendezvous)
    {
        final long exchangeNs =
            (verifyBeginNs - agreedNs - (meters.pausedNs() - pausedBeforeNs)) / plan.since(iteration);
        final ByteBuffer own = ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(0, plan.leastNs()).putLong(Long.BYTES, exchangeNs);
        long slowestVerifyNs = 0;
        long slowestExchangeNs = 0;
        for (final ByteBuffer theirs : rank.beside(() ->
            rendezvous.allGather("cli.verified-" + iteration, own, MEETING)))
        {
            slowestVerifyNs = Math.max(slowestVerifyNs, theirs.getLong(theirs.position()));
            slowestExchangeNs = Math.max(slowestExchangeNs, theirs.getLong(theirs.position() + Long.BYTES));
        }

        plan.agree(iteration, slowestVerifyNs, slowestExchangeNs);
        isSlow = slowestVerifyNs > rank.engine().config().callTimeout().toNanos() / PART_OF_A_DEADLINE;
        agreedNs = System.nanoTime();
        pausedBeforeNs = meters.pausedNs() + agreedNs - verifyBeginNs;
    }
}
