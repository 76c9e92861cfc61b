/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.transport.ucx.internal.ucp.UcpCalls;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpRemoteKey;

/**
 * UCX's endpoint of one channel, and how far its operations are settled: UCX tells of the end of one only by a flush,
 * which covers all before it. Up to {@link #MAX_FLUSHES} are under way at a time, each begun when its share of the
 * operations that may be under way has been submitted: room comes back in parts, and the peer never runs dry while it
 * does. On the worker's thread alone.
 */
final class Endpoint
{
    private static final int MAX_FLUSHES = 4;
    private static final long CLOSE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final UcpCalls calls;
    private final UcpEndpoint endpoint;
    private final Progress progress;
    private final boolean canBeForced;
    private final int operationsPerFlush;
    private final long handle;
    private final long[] requests = new long[MAX_FLUSHES];
    private final long[] requestPositions = new long[MAX_FLUSHES];
    private final PendingSignals signals = new PendingSignals();
    private int oldestFlush;
    private int flushes;
    private long submitted;
    private long flushIssued;
    private long unflushed;
    private long flushesBegun;
    private long flushesEnded;
    private boolean isSignalUnflushed;
    private long settled;
    private long barrier;
    private long read;

    /** Drives what this endpoint needs to come to its end. */
    @FunctionalInterface
    interface Progress
    {
        void run();
    }

    /**
     * Take over an endpoint.
     *
     * @param calls         into UCX.
     * @param endpoint      of UCX.
     * @param canBeForced   whether it was made with error handling, without which it cannot be closed by force.
     * @param maxOperations that may be under way.
     * @param progress      of the worker that it belongs to.
     */
    Endpoint(
        final UcpCalls calls,
        final UcpEndpoint endpoint,
        final boolean canBeForced,
        final int maxOperations,
        final Progress progress)
    {
        this.calls = calls;
        this.endpoint = endpoint;
        this.handle = endpoint.getNativeId();
        this.canBeForced = canBeForced;
        this.operationsPerFlush = Math.max(1, maxOperations / MAX_FLUSHES);
        this.progress = progress;
    }

    /** Of UCX ({@code ucp_ep_h}). */
    long handle()
    {
        return handle;
    }

    UcpRemoteKey unpack(final MemoryKey key)
    {
        calls.bind();
        return endpoint.unpackRemoteKey(key.remoteKey());
    }

    /**
     * Operations were given to UCX.
     *
     * @param position   of the channel.
     * @param operations how many.
     * @return 0, or a negative status of UCX: of a flush that was due.
     */
    int onSubmitted(final long position, final long operations)
    {
        submitted = position;
        unflushed += operations;
        return unflushed < operationsPerFlush ? UcpCalls.OK : flush(position);
    }

    /**
     * A read that is no operation of the channel was given to UCX; one at a time.
     *
     * @return 0 when its bytes are here, a positive value when {@link #isReading} will tell, or a negative status.
     */
    int onRead()
    {
        read = calls.flush(handle);
        return read > 0 ? UcpCalls.IN_PROGRESS : (int)read;
    }

    /** Whether the bytes of {@link #onRead} are not here yet. */
    boolean isReading()
    {
        return read > 0;
    }

    /**
     * Order what is unsettled before what comes, which is held back until it is settled. UCX's own fence will not do:
     * it does not order ways against each other up to UCX 1.15, and since 1.16 it blocks until all peers have answered.
     *
     * @param position of the fence.
     * @return 0, or a negative status of UCX.
     */
    int fence(final long position)
    {
        barrier = position;
        return flush(position);
    }

    /** Whether a signal may be accepted. */
    boolean hasRoomForSignal()
    {
        return signals.hasRoom();
    }

    /**
     * Add to a word once all that was submitted is done; what comes is not held back.
     *
     * @param position of the signal.
     * @param delta    that is added.
     * @param address  of the word at its owner.
     * @param key      handle of its remote key.
     * @return 0, or a negative status of UCX.
     */
    int signal(final long position, final long delta, final long address, final long key)
    {
        signals.add(address, key, delta, position, submitted);
        return flush(position);
    }

    /** Whether a fence holds back what comes. */
    boolean isHeld()
    {
        return !isSettled(barrier);
    }

    /** Whether UCX has nothing left to do. */
    boolean isSettled()
    {
        return submitted <= settled && signals.isEmpty() && !isReading();
    }

    /**
     * All operations up to here are done.
     *
     * @param position of the channel, whose operations without UCX are done at once.
     * @return cumulative position.
     */
    long settledPosition(final long position)
    {
        final long done = submitted <= settled ? position : settled;
        return signals.isEmpty() ? done : Math.min(done, signals.position() - 1);
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
        if (submitted <= flushIssued && !isSignalUnflushed || MAX_FLUSHES == flushes)
        {
            return UcpCalls.OK;
        }

        final long request = calls.flush(handle);
        if (request < 0)
        {
            return (int)request;
        }

        flushIssued = position;
        unflushed = 0;
        isSignalUnflushed = false;
        flushesBegun++;
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
     * @return how many ended, or a negative status of UCX.
     */
    int progress(final long position)
    {
        int ended = 0;
        if (isReading())
        {
            final int status = calls.requestStatus(read);
            if (UcpCalls.IN_PROGRESS != status)
            {
                forgetRead();
                ended++;
            }

            if (status < 0)
            {
                return status;
            }
        }

        while (flushes > 0)
        {
            final int status = calls.requestStatus(requests[oldestFlush]);
            if (UcpCalls.IN_PROGRESS == status)
            {
                break;
            }

            release(status < 0 ? settled : requestPositions[oldestFlush]);
            if (status < 0)
            {
                return status;
            }

            ended++;
        }

        final int given = giveSignal();
        final int status = given < 0 || flushes > 0 && !isSignalUnflushed ? given : flush(position);
        return status < 0 ? status : ended;
    }

    /** Give UCX the oldest signals, once all before them is done; the next flush that is begun ends them. */
    private int giveSignal()
    {
        signals.flushed(flushesEnded);
        final int count = signals.isGiven() ? 0 : signals.ready(submitted > settled ? settled : Long.MAX_VALUE);
        if (0 == count)
        {
            return UcpCalls.OK;
        }

        final int status = calls.atomicAdd(handle, signals.delta(count), signals.address(), signals.key());
        if (status < 0)
        {
            return status;
        }

        isSignalUnflushed = true;
        signals.give(count, flushesBegun + 1);
        return UcpCalls.OK;
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
        signals.discard();
        final boolean isQuiet = isSettled();
        forgetRead();
        forgetFlushes();
        if (isQuiet && isPeerLive &&
            isEnded(calls.closeEndpoint(handle, false), System.nanoTime() + CLOSE_NS))
        {
            return true;
        }

        // What an endpoint without error handling keeps of a dead peer goes with the worker.
        return isQuiet || canBeForced && isEnded(calls.closeEndpoint(handle, true), System.nanoTime() + CLOSE_NS);
    }

    /** Whether the operations up to a position are done. */
    boolean isSettled(final long position)
    {
        return (submitted <= settled || position <= settled) && (signals.isEmpty() || position < signals.position());
    }

    /**
     * Before a close, and before keys go that operations under way need: wait for their end, but not for long.
     *
     * @return whether all have ended.
     */
    boolean settle()
    {
        signals.discard();
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

    /**
     * Drive until something has happened, but not for long.
     *
     * @return whether it has.
     */
    static boolean drive(final Progress progress, final BooleanSupplier condition, final long timeoutNs)
    {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        while (!condition.getAsBoolean())
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                return false;
            }

            progress.run();
        }

        return true;
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
        flushesEnded = flushesBegun;
        settled = position;
    }

    private void forgetRead()
    {
        if (isReading())
        {
            calls.requestFree(read);
            read = 0;
        }
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
        flushesEnded++;
        settled = position;
    }

    private void next()
    {
        oldestFlush = (oldestFlush + 1) % MAX_FLUSHES;
        flushes--;
    }
}
