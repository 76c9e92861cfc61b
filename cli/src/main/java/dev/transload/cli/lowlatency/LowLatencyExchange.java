/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.rank.CallTimes;
import dev.transload.cli.rank.EngineFigures;
import dev.transload.cli.rank.HostMirrors;
import dev.transload.cli.rank.MemoryCopy;
import dev.transload.cli.rank.ProcessorMeter;
import dev.transload.cli.rank.RankReport;
import dev.transload.cli.verify.ExpertAnswers;
import dev.transload.cli.verify.Injection;
import dev.transload.cli.verify.SamplePlan;
import dev.transload.engine.World;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.RendezvousException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Iterations over all calls of an input on one rank: first the warm-up, then those that are measured.
 * {@link SamplePlan} says which are verified; where a rank was masked, the rest of that iteration and the next one are,
 * too. Rows of earlier calls must not pass for rows of a verified one. So all outputs are overwritten before it, and
 * the sign of every input changes after each two calls: the engine's two sets of slots then hold different rows.
 * Ranks meet after each verified call, because a rank that verifies for long would look like a failed one. Ranks that
 * have lost a peer don't meet again.
 */
final class LowLatencyExchange implements AutoCloseable
{
    private static final Logger LOG = LoggerFactory.getLogger(LowLatencyExchange.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Verification of one rank may take much longer than that of another. */
    private static final Duration MEETING = Duration.ofMinutes(10);

    private final RankPlace place;
    private final LowLatencyTask task;
    private final CallInput input;
    private final LowLatencyEngine engine;
    private final Rendezvous rendezvous;
    private final LowLatencyTensors tensors;
    private final LowLatencyCalls calls;
    private final HostMirrors mirrors;
    private final CallExpectation[][] expectations;
    private final ExpertAnswers experts;
    private final SamplePlan plan;
    private final int all;
    private long[] waitedBefore;
    private ProcessorMeter processor;
    private long prepared = -1;
    private long preparingNs;
    private long pausedNs;
    private final int[] maskedAfter;
    private long pausedBeforeNs;
    private long agreedNs;
    private int verified;
    private int verifiedUntil;
    private int masked;
    private boolean isMeeting = true;
    private String failure;

    /**
     * What the iterations came to, all of them or those until a checkpoint.
     *
     * @param iterations  that count.
     * @param rows        received in each iteration.
     * @param verified    iterations.
     * @param failure     what verification found, null when all is as expected.
     * @param waitedNs    by source rank.
     * @param allocated   bytes, an iteration once warm.
     * @param processor   time, an iteration once warm.
     * @param masked      ranks that this one went on without.
     * @param maskedAfter calls that it had ended when it noticed each of these.
     */
    private record Measured(
        int iterations, int rows, int verified, String failure, long[] waitedNs, double allocated,
        RankReport.ProcessorReport processor, int[] masked, int[] maskedAfter)
    {
    }

    LowLatencyExchange(
        final RankPlace place,
        final LowLatencyTask task,
        final CallInput input,
        final LowLatencyEngine engine,
        final Rendezvous rendezvous)
    {
        this.place = place;
        this.task = task;
        this.input = input;
        this.engine = engine;
        this.rendezvous = rendezvous;
        this.maskedAfter = new int[input.ranks()];
        Arrays.fill(maskedAfter, -1);
        this.tensors = new LowLatencyTensors(engine, input, place.rank(), task.isDistinct());
        this.calls = new LowLatencyCalls(engine, input, tensors, task.isDistinct(), task.warmup(), task.iterations(),
            place.progress());
        this.mirrors = new HostMirrors(engine::allocateHost);
        this.expectations = new CallExpectation[input.calls()][];
        this.experts = new ExpertAnswers(task.answers(), input.input().world().experts(), input.input().hidden());
        this.all = task.warmup() + task.iterations();
        this.plan = new SamplePlan(all, task.verifyAll());
    }

    RankReport run()
    {
        meet("begin", ByteBuffer.allocate(0));
        agreedNs = System.nanoTime();
        final int cold = task.iterations() / 2;
        for (int iteration = 0; iteration < all; iteration++)
        {
            if (iteration == task.warmup())
            {
                waitedBefore = engine.statistics().waitNsPerRank();
            }

            if (iteration == task.warmup() + cold)
            {
                processor = new ProcessorMeter();
            }

            iterate(iteration);
        }

        final Measured measured = measured(task.iterations(), processor.used(task.iterations() - cold));
        // The others are quiet until it is measured.
        final double memcpy = 0 == place.rank() ? MemoryCopy.bytesPerSecond() : 0.0;
        meet("measured", ByteBuffer.allocate(0));
        return report(measured, memcpy);
    }

    private Measured measured(final int iterations, final RankReport.ProcessorReport used)
    {
        final double allocated =
            calls.allocatedBytes(iterations / 2 * input.calls(), iterations * input.calls()) * (double)input.calls();
        final int[] lost = calls.masked();
        return new Measured(iterations, (int)(calls.rows() / iterations), verified, failure,
            EngineFigures.between(waitedBefore, engine.statistics().waitNsPerRank()), allocated, used, lost,
            Arrays.stream(lost).map((rank) -> maskedAfter[rank]).toArray());
    }

    /** After a verified iteration that counts, in a pause. */
    private void keep(final int iteration)
    {
        final int steady = iteration + 1 - task.warmup() - task.iterations() / 2;
        final Measured measured = measured(iteration + 1 - task.warmup(),
            null == processor ? RankReport.ProcessorReport.UNKNOWN : processor.usedAtPause(steady));
        place.progress().checkpoint(() -> JSON.valueToTree(report(measured, Double.NaN)));
    }

    private void iterate(final int iteration)
    {
        int verifiedCalls = 0;
        final boolean isPlanned = plan.isNext(iteration);
        for (int call = 0; call < input.calls(); call++)
        {
            final long number = (long)iteration * input.calls() + call;
            final int variant = variantOf(number);
            final boolean isVerified = isPlanned || iteration <= verifiedUntil || all - 1 == iteration;
            if (isVerified && prepared != number)
            {
                pause(() ->
                {
                    prepare(number);
                    meet("prepared-" + number, ByteBuffer.allocate(0));
                });
            }

            calls.run(call, variant, isVerified ? expectation(call, variant) : null);
            final int[] lost = calls.masked();
            if (lost.length > masked)
            {
                masked = lost.length;
                Arrays.stream(lost).filter((rank) -> maskedAfter[rank] < 0).forEach((rank) ->
                    maskedAfter[rank] = Math.toIntExact(number));
                verifiedUntil = iteration + 1;
                tell(lost);
            }

            if (isVerified || iteration <= verifiedUntil)
            {
                // One that was not prepared is looked at too, but its sums may be of answers of an earlier call.
                verifiedCalls += isVerified ? 1 : 0;
                pause(() -> conclude(number, isVerified, isPlanned));
            }
        }

        if (input.calls() == verifiedCalls)
        {
            verified++;
            if (iteration >= task.warmup())
            {
                pause(() -> keep(iteration));
            }
        }
    }

    /** Variants alternate every two calls, counted from the last one, which sends the input as it is. */
    private int variantOf(final long number)
    {
        return (int)((long)all * input.calls() - 1 - number >> 1 & 1);
    }

    private CallExpectation expectation(final int call, final int variant)
    {
        if (null == expectations[call])
        {
            final CallExpectation plain = new CallExpectation(input, place.rank(), call, experts);
            expectations[call] = new CallExpectation[]{ plain, plain.negated() };
        }

        return expectations[call][variant];
    }

    /** What takes place meanwhile is no part of a lap, nor of the processor time of calls. */
    private void pause(final Runnable work)
    {
        final long begin = System.nanoTime();
        if (null != processor)
        {
            processor.pause();
        }

        work.run();
        if (null != processor)
        {
            processor.resume();
        }

        pausedNs += System.nanoTime() - begin;
        calls.times().exclude(System.nanoTime() - begin);
    }

    private void prepare(final long number)
    {
        final long begin = System.nanoTime();
        calls.prepare(expectation((int)(number % input.calls()), variantOf(number)));
        prepared = number;
        preparingNs += System.nanoTime() - begin;
    }

    /** After a call: verify it, agree on what is verified next, be ready for it, meet. */
    private void conclude(final long number, final boolean isPrepared, final boolean isPlanned)
    {
        final long begin = System.nanoTime();
        final int iteration = (int)(number / input.calls());
        final int call = (int)(number % input.calls());
        final boolean isLastCall = input.calls() - 1 == call;
        verify(iteration, call, isPrepared, isLastCall && all - 1 == iteration);
        preparingNs += System.nanoTime() - begin;
        if (isPlanned && isLastCall)
        {
            final boolean isMeeting = plan.verified(preparingNs);
            preparingNs = 0;
            if (isMeeting && all - 1 > iteration)
            {
                agree(iteration, begin);
            }
        }

        final boolean isNextVerified = isLastCall ?
            iteration + 1 < all && (plan.isNext(iteration + 1) || iteration + 1 == all - 1) :
            isPlanned || all - 1 == iteration;
        if (isNextVerified)
        {
            prepare(number + 1);
        }

        meet("verified-" + number, ByteBuffer.allocate(0));
    }

    /** All ranks have the same figures then, and come to the same plan; without them the plan stays as it is. */
    private void agree(final int iteration, final long verifyBeginNs)
    {
        final long exchangeNs =
            (verifyBeginNs - agreedNs - (pausedNs - pausedBeforeNs)) / plan.since(iteration);
        long slowestVerifyNs = 0;
        long slowestExchangeNs = 0;
        for (final ByteBuffer theirs : meet("agreed-" + iteration, ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(0, plan.leastNs()).putLong(Long.BYTES, exchangeNs)))
        {
            slowestVerifyNs = Math.max(slowestVerifyNs, theirs.getLong(theirs.position()));
            slowestExchangeNs = Math.max(slowestExchangeNs, theirs.getLong(theirs.position() + Long.BYTES));
        }

        if (slowestVerifyNs > 0)
        {
            plan.agree(iteration, slowestVerifyNs, slowestExchangeNs);
        }

        agreedNs = System.nanoTime();
        pausedBeforeNs = pausedNs + agreedNs - verifyBeginNs;
    }

    private void tell(final int[] lost)
    {
        for (final int rank : lost)
        {
            place.progress().note(
                "rank " + place.rank() + " goes on without rank " + rank + ": " + engine.maskReason(rank));
        }
    }

    private void verify(
        final int iteration, final int call, final boolean isPrepared, final boolean isConclusion)
    {
        final CallExpectation expectation =
            expectation(call, variantOf((long)iteration * input.calls() + call));
        final CallOutputs outputs = calls.outputs(call).mirrored(mirrors, expectation);
        if (isConclusion && null != task.injection())
        {
            new RowInjection(Injection.named(task.injection()), expectation).spoil(outputs);
        }

        // Sums are of what was ready before the call, but those of an echo of BF16 rows, which needs nothing.
        String difference = CallVerification.ofReceived(expectation, outputs);
        if (null == difference && (isPrepared || !task.isDistinct() && !input.isFp8()))
        {
            difference = null == calls.leftOutWrongly() ? CallVerification.ofCombined(expectation, outputs) :
                "rank " + place.rank() + ", " + calls.leftOutWrongly();
        }

        if (null == failure && null != difference)
        {
            failure = all > 1 ? difference + " (iteration " + (iteration + 1) + " of " + all + ")" : difference;
        }

        if (isConclusion && null != task.output())
        {
            new LowLatencyFile(expectation, outputs, tensors, mirrors).write(Path.of(task.output()));
        }
    }

    /** What all ranks give, or nothing where they meet no more. */
    private List<ByteBuffer> meet(final String topic, final ByteBuffer own)
    {
        if (!isMeeting || masked > 0)
        {
            return List.of();
        }

        try
        {
            return rendezvous.allGather("cli." + topic, own, MEETING);
        }
        catch (final RendezvousException ex)
        {
            if (RendezvousException.Reason.MEMBER_LOST != ex.reason())
            {
                throw ex;
            }

            // The engine finds out in its next call, if there is one.
            LOG.debug("ranks meet no more", ex);
            isMeeting = false;
            return List.of();
        }
    }

    private RankReport report(final Measured measured, final double memcpy)
    {
        final int iterations = measured.iterations();
        final CallTimes times = calls.times().first(iterations * input.calls());
        final Member self = rendezvous.member(place.rank());
        final CallTraffic traffic = CallTraffic.of(input, new World(engine.config().common().world(), place.rank()));
        return new RankReport(
            self.rank(), self.processId(), self.host(), input.input().world().routing(self.rank()).tokens(),
            measured.rows(), engine.config().channels(), true, measured.verified(), measured.failure(),
            times.dispatchNs(), times.combineNs(), times.lapNs(), times.interrupted(),
            traffic.dispatchScaleOutBytes() * iterations, traffic.dispatchScaleUpBytes() * iterations,
            traffic.combineScaleOutBytes() * iterations, traffic.combineScaleUpBytes() * iterations,
            measured.allocated(), measured.processor(), List.of(), measured.waitedNs(), List.of(),
            RankReport.TransportReport.of(engine.transports(), engine.config().common()),
            engine.config().common().payloadKind().name(), engine.config().common().device(), memcpy,
            measured.masked(), measured.maskedAfter(), engine.steps(), null, 0);
    }

    @Override
    public void close()
    {
        mirrors.close();
        calls.close();
    }
}
