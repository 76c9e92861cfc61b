/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.transport.ucx.ucp.UcpCalls;
import java.util.concurrent.TimeUnit;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpRemoteKey;

/**
 * UCX's endpoint of one channel, and how far its operations are settled: UCX tells of the end of one only by a flush,
 * which covers all before it. Up to {@link #MAX_FLUSHES} are under way at a time. On the worker's thread alone.
 */
final class Endpoint
{
    private static final int MAX_FLUSHES = 4;
    private static final long CLOSE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final UcpCalls calls;
    private final UcpEndpoint endpoint;
    private final Progress progress;
    private final boolean canBeForced;
    private final long handle;
    private final long[] requests = new long[MAX_FLUSHES];
    private final long[] requestPositions = new long[MAX_FLUSHES];
    private int oldestFlush;
    private int flushes;
    private long submitted;
    private long flushIssued;
    private long settled;
    private long barrier;
    private long directBarrier;
    private long lastLoad;

    /** Drives what this endpoint needs to come to its end. */
    @FunctionalInterface
    interface Progress
    {
        void run();
    }

    /**
     * Take over an endpoint.
     *
     * @param calls       into UCX.
     * @param endpoint    of UCX.
     * @param canBeForced whether it was made with error handling, without which it cannot be closed by force.
     * @param progress    of the worker that it belongs to.
     */
    Endpoint(
        final UcpCalls calls, final UcpEndpoint endpoint, final boolean canBeForced, final Progress progress)
    {
        this.calls = calls;
        this.endpoint = endpoint;
        this.handle = endpoint.getNativeId();
        this.canBeForced = canBeForced;
        this.progress = progress;
    }

    /** Of UCX ({@code ucp_ep_h}). */
    long handle()
    {
        return handle;
    }

    UcpRemoteKey unpack(final MemoryKey key)
    {
        return endpoint.unpackRemoteKey(key.remoteKey());
    }

    /** An operation was given to UCX. */
    void onSubmitted(final long position)
    {
        submitted = position;
    }

    /** A load was given to UCX, whose fence orders writes only. */
    void onLoad(final long position)
    {
        submitted = position;
        lastLoad = position;
    }

    /**
     * Order what is unsettled before what comes: by UCX's own fence where that is enough, else by holding back.
     *
     * @param position of the fence.
     * @param worker   of UCX whose fence is strong, or 0 where there is no such fence.
     * @return 0, or a negative status of UCX.
     */
    int fence(final long position, final long worker)
    {
        // Writes without UCX know nothing of its fence.
        directBarrier = position;
        if (0 != worker && isSettled(lastLoad))
        {
            final int status = calls.fence(worker);
            return status < 0 ? status : flush(position);
        }

        barrier = position;
        return flush(position);
    }

    /** Whether a fence holds back operations of UCX. */
    boolean isHeld()
    {
        return !isSettled(barrier);
    }

    /** Whether a fence holds back writes without UCX. */
    boolean isDirectHeld()
    {
        return !isSettled(directBarrier);
    }

    /** Whether UCX has nothing left to do. */
    boolean isSettled()
    {
        return submitted <= settled;
    }

    /**
     * All operations up to here are done.
     *
     * @param position of the channel, whose operations without UCX are done at once.
     * @return cumulative position.
     */
    long settledPosition(final long position)
    {
        return submitted <= settled ? position : settled;
    }

    /** Operations that may not be done. */
    long outstanding(final long position)
    {
        return submitted <= settled ? 0 : position - settled;
    }

    /**
     * Begin a flush, if there is anything to flush that none under way covers.
     *
     * @param position of the channel.
     * @return 0, or a negative status of UCX.
     */
    int flush(final long position)
    {
        if (submitted <= flushIssued || MAX_FLUSHES == flushes)
        {
            return UcpCalls.OK;
        }

        final long request = calls.flush(handle);
        if (request < 0)
        {
            return (int)request;
        }

        flushIssued = position;
        if (UcpCalls.OK == request)
        {
            // Later flushes end after earlier ones: this one speaks for all.
            settleAll(position);
        }
        else
        {
            final int at = (oldestFlush + flushes) % MAX_FLUSHES;
            requests[at] = request;
            requestPositions[at] = position;
            flushes++;
        }

        return UcpCalls.OK;
    }

    /**
     * Take up flushes that have ended, and keep one under way.
     *
     * @param position of the channel.
     * @return number of flushes that ended, or a negative status of UCX.
     */
    int progress(final long position)
    {
        int ended = 0;
        while (flushes > 0)
        {
            final long request = requests[oldestFlush];
            final int status = calls.requestStatus(request);
            if (UcpCalls.IN_PROGRESS == status)
            {
                return ended;
            }

            release(status < 0 ? settled : requestPositions[oldestFlush]);
            if (status < 0)
            {
                return status;
            }

            ended++;
        }

        final int status = flush(position);
        return status < 0 ? status : ended;
    }

    /**
     * End the use of local memory and close.
     *
     * @param isPeerLive whether it makes sense to wait for the peer.
     * @return false when neither the peer nor force could end it: local memory may still be read when the worker is
     * driven, so that it must not be.
     */
    boolean close(final boolean isPeerLive)
    {
        final boolean isQuiet = isSettled();
        forgetFlushes();
        if (isQuiet && isPeerLive &&
            isEnded(calls.closeEndpoint(handle, false), System.nanoTime() + CLOSE_NS))
        {
            return true;
        }

        // What an endpoint without error handling keeps of a dead peer goes with the worker.
        return isQuiet || canBeForced && isEnded(calls.closeEndpoint(handle, true), System.nanoTime() + CLOSE_NS);
    }

    private boolean isSettled(final long position)
    {
        return submitted <= settled || position <= settled;
    }

    /**
     * Before a close, and before keys go that operations under way need: wait for their end, but not for long.
     *
     * @return whether all have ended.
     */
    boolean settle()
    {
        final long deadlineNs = System.nanoTime() + CLOSE_NS;
        while (!isSettled() && System.nanoTime() - deadlineNs < 0)
        {
            progress.run();
            if (progress(submitted) < 0)
            {
                return false;
            }
        }

        return isSettled();
    }

    private boolean isEnded(final long request, final long deadlineNs)
    {
        if (request <= 0)
        {
            return UcpCalls.OK == request;
        }

        int status = calls.requestStatus(request);
        while (UcpCalls.IN_PROGRESS == status && System.nanoTime() - deadlineNs < 0)
        {
            progress.run();
            status = calls.requestStatus(request);
        }

        calls.requestFree(request);
        return UcpCalls.IN_PROGRESS != status;
    }

    private void settleAll(final long position)
    {
        forgetFlushes();
        settled = position;
    }

    private void forgetFlushes()
    {
        while (flushes > 0)
        {
            calls.requestFree(requests[oldestFlush]);
            next();
        }
    }

    private void release(final long position)
    {
        calls.requestFree(requests[oldestFlush]);
        next();
        settled = position;
    }

    private void next()
    {
        oldestFlush = (oldestFlush + 1) % MAX_FLUSHES;
        flushes--;
    }
}
