/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.acl;

import java.util.concurrent.TimeUnit;

/**
 * How far a stream is: events behind batches of work, numbered from 1. A stream that failed says nothing by its events;
 * when none comes for a while it is asked. One thread's.
 */
public final class StreamProgress
{
    private static final int EVENTS = 16;
    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private final AclStream stream;
    private final AclEvent[] events = new AclEvent[EVENTS];
    private final long timeoutNs;
    private long marked;
    private long completed;
    private boolean isDirty;
    private long movedNs;
    private long askedNs;

    private StreamProgress(final AclStream stream, final long timeoutNs)
    {
        this.stream = stream;
        this.timeoutNs = timeoutNs;
    }

    /**
     * Of a stream that has no work yet.
     *
     * @param device    of the stream.
     * @param stream    that is looked at.
     * @param leftovers takes what is given back.
     * @param timeoutNs after which stalled work counts as failed.
     * @return progress, with events of its own.
     */
    public static StreamProgress open(
        final AclDevice device, final AclStream stream, final Leftovers leftovers, final long timeoutNs)
    {
        final StreamProgress progress = new StreamProgress(stream, timeoutNs);
        try
        {
            for (int i = 0; i < EVENTS; i++)
            {
                progress.events[i] = device.openEvent();
            }

            return progress;
        }
        catch (final AclException ex)
        {
            progress.close(leftovers);
            throw ex;
        }
    }

    /** Work was submitted. */
    public void touch()
    {
        isDirty = true;
    }

    /**
     * What stands for all that was submitted so far.
     *
     * @return number that is completed when all of that is.
     */
    public long submitted()
    {
        return isDirty ? marked + 1 : marked;
    }

    /**
     * How far the stream was when it was looked at last.
     *
     * @return number up to which all is done.
     */
    public long completed()
    {
        return completed;
    }

    /**
     * Put an event behind what was submitted, if there is one to spare.
     *
     * @return 0, or a code.
     */
    public int mark()
    {
        if (!isDirty || marked - completed == EVENTS)
        {
            return 0;
        }

        final int code = stream.record(events[(int)(marked % EVENTS)]);
        if (0 == code)
        {
            movedNs = marked == completed ? System.nanoTime() : movedNs;
            marked++;
            isDirty = false;
        }

        return code;
    }

    /**
     * See which events have come.
     *
     * @return 0, or the code that the stream failed with.
     */
    public int poll()
    {
        final long before = completed;
        while (completed < marked)
        {
            final int status = events[(int)(completed % EVENTS)].look();
            if (status < 0)
            {
                return -status;
            }

            if (0 == status)
            {
                break;
            }

            completed++;
        }

        if (completed == marked)
        {
            return 0;
        }

        final long nowNs = System.nanoTime();
        if (completed != before)
        {
            movedNs = nowNs;
        }

        return nowNs - movedNs > QUIET_NS && nowNs - askedNs > QUIET_NS ? ask(nowNs) : 0;
    }

    /** Give the events back: only once the stream is closed, or was never used. */
    public void close(final Leftovers leftovers)
    {
        for (int i = 0; i < EVENTS && null != events[i]; i++)
        {
            leftovers.giveBack("an event", events[i]::close);
        }
    }

    /** Takes up to a millisecond of a stream that has been quiet for ten. */
    private int ask(final long nowNs)
    {
        askedNs = nowNs;
        final int code = stream.await(1);
        return AclCode.SYNC_TIMEOUT == code && nowNs - movedNs < timeoutNs ? 0 : code;
    }
}
