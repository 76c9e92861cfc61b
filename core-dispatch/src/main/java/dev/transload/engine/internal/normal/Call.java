/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.Tensor;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.plan.Plan;
import dev.transload.engine.internal.wire.CallHeader;
import dev.transload.engine.internal.wire.ClearToSend;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.View;
import dev.transload.kernels.ForeignEvent;
import dev.transload.kernels.RowKernels;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A call on its way through the engine; filled by the caller's thread, then read by roles, ended by the conductor. */
public abstract class Call
{
    /** What is asked for; the order is that of the header's kind word. */
    public enum Kind
    {
        /** Dispatch with layout and counts. */
        DISPATCH("dispatch"),
        /** Dispatch with the layout and counts of an earlier one. */
        CACHED_DISPATCH("cached dispatch"),
        /** Combine. */
        COMBINE("combine");

        private final String title;

        Kind(final String title)
        {
            this.title = title;
        }

        @Override
        public String toString()
        {
            return title;
        }
    }

    private final Kind kind;
    private final Plan plan;
    private final long timeoutNs;
    private final CallHeader header = new CallHeader();
    private final CountDownLatch done = new CountDownLatch(1);
    private final AtomicInteger writtenChannels = new AtomicInteger();
    private ForeignEvent waitFor;
    private ForeignEvent record;
    private TopkMirrors mirrors;
    private long spinNs;
    private View view = View.ALL;
    private long number;
    private long startNs;
    private CallFailedException failure;

    /**
     * With what all calls have.
     *
     * @param kind   of call.
     * @param plan which it fills or uses.
     */
    protected Call(final Kind kind, final Plan plan, final long timeoutNs)
    {
        this.kind = kind;
        this.plan = plan;
        this.timeoutNs = timeoutNs;
    }

    /**
     * Put it between device work of its caller; before it is submitted.
     *
     * @param before what its device work waits for, or null.
     * @param after  what is recorded behind it, or null.
     * @param topk   those of its tensors that lie on the payload's device; given back when it ends.
     */
    public final void chain(final ForeignEvent before, final ForeignEvent after, final TopkMirrors topk)
    {
        waitFor = before;
        record = after;
        mirrors = topk;
    }

    /**
     * How long a thread that waits for the end polls before it rests; set before the call is submitted.
     *
     * @param nanos how long, 0 to rest at once.
     */
    public final void watchFor(final long nanos)
    {
        spinNs = nanos;
    }

    public final ForeignEvent waitFor()
    {
        return waitFor;
    }

    public final TopkMirrors mirrors()
    {
        return mirrors;
    }

    /** Whether roles can begin: what they read of top-k is in host memory, and routed. */
    public final boolean isBegun(final RowKernels kernels)
    {
        return mirrors.areSourcesReady(kernels, waitFor);
    }

    /**
     * A role has written all that it writes of the call's top-k; by each such role, once.
     */
    public final void topkWritten()
    {
        writtenChannels.getAndIncrement();
    }

    /** Have what was written of top-k copied to the device while rows still move; again until all of it is. */
    public final void sendTopk(final RowKernels kernels, final int channels)
    {
        if (writtenChannels.get() == channels)
        {
            mirrors.send(kernels, topkRows());
        }
    }

    private int topkRows()
    {
        return isCombine() ? plan.tokens() : plan.rows();
    }

    /** Whether what the roles wrote of top-k is on the device, so that this rank has done all of its part. */
    public final boolean isWritten(final RowKernels kernels)
    {
        return mirrors.areTargetsWritten(kernels, topkRows());
    }

    /** Whether what is recorded behind the call has been handed to kernels that have done all of their part in it. */
    public final boolean isRecorded(final RowKernels kernels)
    {
        return null == record || kernels.record(record) >= 0;
    }

    /** The call ended well: make its result from what the roles left. */
    protected abstract void conclude();

    public final void start(final View agreed, final long callNumber, final long nowNs)
    {
        view = agreed;
        number = callNumber;
        startNs = nowNs;
    }

    public final void end(final CallFailedException reason, final Consumer<Call> entry)
    {
        failure = reason;
        try
        {
            if (null == reason)
            {
                conclude();
                entry.accept(this);
            }
        }
        catch (final RuntimeException | Error ex)
        {
            // The waiting thread must hear of it; the engine itself goes on.
            failure = new CallFailedException(
                CallFailedException.Reason.INTERNAL, -1, describe() + " moved all rows but has no result: " + ex, ex);
        }
        finally
        {
            mirrors.release();
            plan.release();
            done.countDown();
        }
    }

    /**
     * Wait for the end.
     *
     * @param drive a duty cycle and a rest, where the caller drives the engine, else null.
     */
    protected final void await(final Runnable drive)
    {
        // The call's own deadline ends it.
        await(drive, Long.MAX_VALUE);
        if (null != failure)
        {
            throw failure.again();
        }
    }

    private void spin(final long limitNs)
    {
        final long beginNs = System.nanoTime();
        while (!isDone() && System.nanoTime() - beginNs < limitNs)
        {
            Thread.onSpinWait();
        }
    }

    /**
     * Wait for the end, at most so long.
     *
     * @param drive     as above.
     * @param timeoutNs not negative.
     * @return whether it has ended.
     */
    protected final boolean await(final Runnable drive, final long timeoutNs)
    {
        final long beginNs = System.nanoTime();
        while (null != drive && !isDone() && System.nanoTime() - beginNs < timeoutNs)
        {
            drive.run();
        }

        if (null == drive)
        {
            spin(Math.min(spinNs, timeoutNs));
            awaitUninterruptibly(timeoutNs - (System.nanoTime() - beginNs));
        }

        return isDone();
    }

    /** An interrupt is kept for the caller. */
    private void awaitUninterruptibly(final long timeoutNs)
    {
        final long beginNs = System.nanoTime();
        boolean isInterrupted = false;
        long leftNs = timeoutNs;
        while (!isDone() && leftNs > 0)
        {
            try
            {
                done.await(leftNs, TimeUnit.NANOSECONDS);
            }
            catch (final InterruptedException ex)
            {
                isInterrupted = true;
            }

            leftNs = timeoutNs - (System.nanoTime() - beginNs);
        }

        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    /** What is asked for. */
    public final Kind kind()
    {
        return kind;
    }

    /**
     * Whether rows go home.
     *
     * @return true for combines, false for dispatches of either kind.
     */
    public final boolean isCombine()
    {
        return Kind.COMBINE == kind;
    }

    /** Number of the call, the same on all ranks, from 1. */
    public final long number()
    {
        return number;
    }

    /**
     * What its messages begin with.
     *
     * @return epoch of the view and number of the call.
     */
    public final long tag()
    {
        return view.tag(number);
    }

    /**
     * Epoch of the view in which it is made.
     *
     * @return epoch, the same on all ranks.
     */
    public final int epoch()
    {
        return view.epoch();
    }

    /**
     * When it started on this rank.
     *
     * @return nanoseconds of {@link System#nanoTime()}.
     */
    public final long startNs()
    {
        return startNs;
    }

    /**
     * Deadline from the start.
     *
     * @return nanoseconds.
     */
    public final long timeoutNs()
    {
        return timeoutNs;
    }

    /**
     * Whether it ended.
     *
     * @return true once the result or the failure stands.
     */
    public final boolean isDone()
    {
        return 0 == done.getCount();
    }

    /** Routing of the dispatch. */
    public final Plan plan()
    {
        return plan;
    }

    /** Header of its notify messages. */
    public final CallHeader header()
    {
        return header;
    }

    /**
     * Whether it is known what ranks of the node may reach.
     *
     * @return true once {@link #isExposed()} says it.
     */
    protected abstract boolean isClearToSendKnown();

    /**
     * Whether ranks of the node put rows to, or read them from, this rank's tensors; they pass the rings otherwise.
     *
     * @return true if {@link #exposed} can be imported.
     */
    public abstract boolean isExposed();

    /**
     * Whether one rank of the node reaches what is exposed; asked where it is announced and where rows are sent.
     *
     * @return true if its rows need not pass the rings.
     */
    public boolean isExposedTo(final Connection connection, final ArenaMap map)
    {
        return isExposed();
    }

    /**
     * A tensor which ranks of the node may reach.
     *
     * @param index 0 for rows, 1 for their scales or weights.
     * @return tensor, null for none.
     */
    protected abstract Tensor exposed(int index);

    /** How many starts accompany exposed tensors, equal on all ranks, see {@link ClearToSend}. */
    public abstract int starts(Geometry geometry);

    /** What must be equal for ranks to reach each other's tensors. */
    public final long form(final Geometry geometry)
    {
        return ClearToSend.form(Kind.COMBINE == kind ? 1 : 0, isPaired(), rowBytes(),
            Kind.DISPATCH == kind ? number : plan.callNumber(), starts(geometry));
    }

    /** Bytes of a row, without scales or weights. */
    public abstract int rowBytes();

    /** Whether rows come with scales or weights. */
    protected abstract boolean isPaired();

    /**
     * Two ranks make different calls.
     *
     * @param here       own rank.
     * @param there      the other one.
     * @param difference of the two, with {@code here} and {@code there}.
     */
    public final CallFailedException mismatch(final int here, final int there, final String difference)
    {
        return new CallFailedException(CallFailedException.Reason.MISMATCH, there, describe() + ": rank " + here +
            " and rank " + there + " do not make the same call, " + difference + " (here = rank " + here +
            ", there = rank " + there + ")", null);
    }

    /**
     * How messages name the call.
     *
     * @return e.g. {@code call 17 (dispatch)}.
     */
    public final String describe()
    {
        return "call " + number + " (" + kind + ")";
    }
}
