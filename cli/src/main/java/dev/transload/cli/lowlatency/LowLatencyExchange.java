/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.rank.EngineFigures;
import dev.transload.cli.rank.HostMirrors;
import dev.transload.cli.rank.MemoryCopy;
import dev.transload.cli.rank.ProcessorMeter;
import dev.transload.cli.rank.RankReport;
import dev.transload.cli.verify.Injection;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.RendezvousException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Iterations over all calls of an input on one rank, the warm-up before those that count. Verified are the first and
 * the last of all, and where a rank was masked, the rest of that iteration and the next one. Ranks meet after each
 * verified call, since one that verifies for longer would look like one that failed; those that have lost a rank don't
 * meet again.
 */
final class LowLatencyExchange implements AutoCloseable
{
    private static final Logger LOG = LoggerFactory.getLogger(LowLatencyExchange.class);

    /** Verification of one rank may take much longer than that of another. */
    private static final Duration MEETING = Duration.ofMinutes(10);

    private final RankPlace place;
    private final LowLatencyTask task;
    private final CallInput input;
    private final LowLatencyEngine engine;
    private final Rendezvous rendezvous;
    private final LowLatencyTensors tensors;
    private final LowLatencyCalls calls;
    private final CallExpectation[] expectations;
    private final int all;
    private int verifiedUntil;
    private int masked;
    private boolean isMeeting = true;
    private String failure;

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
        this.tensors = new LowLatencyTensors(engine, input, place.rank());
        this.calls = new LowLatencyCalls(engine, input, tensors, task.warmup(), task.iterations(), place.progress());
        this.expectations = new CallExpectation[input.calls()];
        this.all = task.warmup() + task.iterations();
    }

    RankReport run()
    {
        meet("begin");
        final int cold = task.iterations() / 2;
        long[] waitedBefore = null;
        ProcessorMeter processor = null;
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

        final double allocated = (double)calls.allocatedBytes(cold * input.calls()) * input.calls();
        final RankReport.ProcessorReport used = processor.used(task.iterations() - cold);
        final long[] waitedNs = EngineFigures.between(waitedBefore, engine.statistics().waitNsPerRank());
        // The others are quiet until it is measured.
        final double memcpy = 0 == place.rank() ? MemoryCopy.bytesPerSecond() : 0.0;
        meet("measured");
        return report(waitedNs, allocated, used, memcpy);
    }

    private void iterate(final int iteration)
    {
        for (int call = 0; call < input.calls(); call++)
        {
            final boolean isLast = all - 1 == iteration;
            final boolean isVerified = iteration <= verifiedUntil || isLast;
            calls.run(call, isVerified);
            final int[] lost = calls.masked();
            if (lost.length > masked)
            {
                masked = lost.length;
                verifiedUntil = iteration + 1;
                tell(lost);
            }

            if (isVerified || iteration <= verifiedUntil)
            {
                verify(call, isVerified || !input.isFp8(), isLast && input.calls() - 1 == call);
                meet("verified-" + iteration + "-" + call);
            }
        }
    }

    private void tell(final int[] lost)
    {
        for (final int rank : lost)
        {
            place.progress().note(
                "rank " + place.rank() + " goes on without rank " + rank + ": " + engine.maskReason(rank));
        }
    }

    private void verify(final int call, final boolean isAnswered, final boolean isConclusion)
    {
        if (null == expectations[call])
        {
            expectations[call] = new CallExpectation(input, place.rank(), call);
        }

        final CallExpectation expectation = expectations[call];
        try (HostMirrors mirrors = new HostMirrors(engine::allocateHost))
        {
            final CallOutputs outputs = calls.outputs(call).mirrored(mirrors);
            if (isConclusion && null != task.injection())
            {
                new RowInjection(Injection.named(task.injection()), expectation).spoil(outputs);
            }

            if (null == failure)
            {
                failure = CallVerification.ofReceived(expectation, outputs);
            }

            if (null == failure && isAnswered)
            {
                failure = null == calls.leftOutWrongly() ? CallVerification.ofCombined(expectation, outputs) :
                    "rank " + place.rank() + ", " + calls.leftOutWrongly();
            }

            if (isConclusion && null != task.output())
            {
                new LowLatencyFile(expectation, outputs, tensors, mirrors).write(Path.of(task.output()));
            }
        }
    }

    private void meet(final String topic)
    {
        if (!isMeeting || masked > 0)
        {
            return;
        }

        try
        {
            rendezvous.allGather("cli." + topic, ByteBuffer.allocate(0), MEETING);
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
        }
    }

    private RankReport report(
        final long[] waitedNs,
        final double allocated,
        final RankReport.ProcessorReport processor,
        final double memcpy)
    {
        final Member self = rendezvous.member(place.rank());
        final CallTraffic traffic = CallTraffic.of(input, place.rank(), engine.config().common().ranksPerNode());
        return new RankReport(
            self.rank(), self.processId(), self.host(), input.input().world().routing(self.rank()).tokens(),
            (int)(calls.rows() / task.iterations()), engine.config().channels(), true, failure,
            calls.times().dispatchNs(), calls.times().combineNs(), calls.times().lapNs(),
            traffic.dispatchScaleOutBytes() * task.iterations(), traffic.dispatchScaleUpBytes() * task.iterations(),
            traffic.combineScaleOutBytes() * task.iterations(), traffic.combineScaleUpBytes() * task.iterations(),
            allocated, processor, List.of(), waitedNs, List.of(),
            engine.transports().stream().map(RankReport.TransportReport::of).toList(),
            engine.config().common().payloadKind().name(), engine.config().common().device(), memcpy, calls.masked());
    }

    @Override
    public void close()
    {
        calls.close();
    }
}
