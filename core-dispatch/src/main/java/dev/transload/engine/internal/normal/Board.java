/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.engine.internal.world.View;
import dev.transload.spi.PeerFailedException;
import java.util.concurrent.atomic.AtomicReference;

/** What all threads of an engine look at: the call under way, and the first failure. */
public final class Board
{
    private final AtomicReference<CallFailedException> failure = new AtomicReference<>();
    private volatile Call active;
    private volatile boolean isRevoked;
    private Runnable waker = () -> {};

    /**
     * Before threads start: what to do when a call becomes active, which may be long after its submission woke them.
     *
     * @param wake has threads that rest look at this board.
     */
    public void wakeBy(final Runnable wake)
    {
        waker = wake;
    }

    /**
     * The call under way.
     *
     * @return call or null.
     */
    public Call active()
    {
        return active;
    }

    public void activate(final Call call)
    {
        active = call;
        if (null != call)
        {
            waker.run();
        }
    }

    /**
     * What the ranks have agreed on about each other.
     *
     * @return view in which calls are made.
     */
    public View view()
    {
        return View.ALL;
    }

    /**
     * First failure.
     *
     * @return failure or null.
     */
    public CallFailedException failure()
    {
        return failure.get();
    }

    /**
     * Report a failure; only the first one counts.
     *
     * @param peer  rank it is about, −1 for none.
     * @param cause or null.
     */
    public void fail(final Reason reason, final int peer, final String message, final Throwable cause)
    {
        failure.compareAndSet(null, new CallFailedException(reason, peer, message, cause));
    }

    /** Report what a thread ran into; only the first failure counts. */
    public void fail(final Throwable error)
    {
        if (error instanceof CallFailedException)
        {
            failure.compareAndSet(null, (CallFailedException)error);
        }
        else if (error instanceof PeerFailedException)
        {
            fail(Reason.PEER_FAILED, ((PeerFailedException)error).peer(), error.getMessage(), error);
        }
        else
        {
            fail(Reason.INTERNAL, -1, String.valueOf(error.getMessage()), error);
        }
    }

    /** Channels are to be closed by their threads: nothing may touch a caller's memory any more. */
    public void revoke()
    {
        isRevoked = true;
    }

    /**
     * Whether channels are to be closed.
     *
     * @return true once a call failed or the engine closes.
     */
    public boolean isRevoked()
    {
        return isRevoked;
    }
}
