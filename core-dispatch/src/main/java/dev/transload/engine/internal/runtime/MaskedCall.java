/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.Completion;
import dev.transload.engine.GroupChangedException;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.internal.plan.PlanHandle;
import dev.transload.kernels.ForeignEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A call of a caller, which engines that follow one another make until one of them has. Thread-safe.
 *
 * @param <T> its result.
 */
abstract class MaskedCall<T> implements Completion<T>
{
    private static final long REST_MS = 1;
    private static final Duration SLICE = Duration.ofSeconds(1);

    private final MaskingEngine owner;
    private final MaskedHandle handle;
    private final ForeignEvent waitFor;
    private final Duration timeout;
    /** What it needs of its own while it is made. */
    private final List<TensorMemory> temporary = new ArrayList<>();
    private volatile Completion<T> made;
    /** What ended without it, since ranks were lost. */
    private volatile Completion<T> lost;
    private volatile boolean hasEnded;
    private T result;
    private RuntimeException failure;

    /**
     * With what all calls have.
     *
     * @param handle  retained for it, or null.
     * @param waitFor what its device work waits for, or null.
     * @param timeout its deadline, or null for that of the settings.
     */
    MaskedCall(
        final MaskingEngine owner, final MaskedHandle handle, final ForeignEvent waitFor, final Duration timeout)
    {
        this.owner = owner;
        this.handle = handle;
        this.waitFor = waitFor;
        this.timeout = timeout;
    }

    final MaskingEngine owner()
    {
        return owner;
    }

    final MaskedHandle handle()
    {
        return handle;
    }

    /** Check it like the engine that will make it. */
    abstract void check(NormalEngine engine);

    final ForeignEvent waitFor()
    {
        return waitFor;
    }

    final Duration timeout()
    {
        return timeout;
    }

    /** Whether rows of the caller that came by another plan are in the order of this one. */
    boolean isInOrder(final PlanHandle routed)
    {
        return true;
    }

    /** It is the caller's call of a number, equal on all ranks. */
    void taken(final long number)
    {
        // Only dispatches are told by their numbers.
    }

    /**
     * Submit it to an engine of an epoch.
     *
     * @param before what an engine before it was asked for, and ended without; null for none.
     */
    abstract Completion<T> submit(NormalEngine engine, int epoch, Completion<T> before);

    /** Result for the caller. */
    abstract T conclude(T of);

    /** Have an engine make it. */
    final void make(final NormalEngine engine, final int epoch)
    {
        final Completion<T> next = submit(engine, epoch, made);
        synchronized (this)
        {
            made = next;
            notifyAll();
        }
    }

    final synchronized void add(final TensorMemory memory)
    {
        temporary.add(memory);
    }

    /** Whether it is to be made again: the engine that made it ended without it. */
    final boolean isLost()
    {
        return !isDone() && made == lost;
    }

    /** The worker has made it. */
    final void succeed(final T value)
    {
        end(value, null);
    }

    /** It cannot be made. */
    final void fail(final RuntimeException reason)
    {
        end(null, reason);
    }

    private synchronized void end(final T value, final RuntimeException reason)
    {
        if (hasEnded)
        {
            return;
        }

        result = value;
        failure = reason;
        hasEnded = true;
        notifyAll();
        if (null != handle)
        {
            handle.release();
        }

        temporary.forEach(TensorMemory::close);
    }

    @Override
    public final boolean isDone()
    {
        final Completion<T> one = made;
        if (!hasEnded && null != one && one != lost && one.isDone())
        {
            look(one);
        }

        return hasEnded;
    }

    private synchronized void look(final Completion<T> one)
    {
        if (hasEnded || one != made)
        {
            return;
        }

        try
        {
            end(conclude(one.await()), null);
        }
        catch (final GroupChangedException ex)
        {
            lost = one;
            if (null != owner.failure())
            {
                end(null, owner.failure());
            }
        }
        catch (final RuntimeException ex)
        {
            end(null, ex);
        }
    }

    @Override
    public final T await()
    {
        while (!isDone())
        {
            rest(SLICE);
        }

        if (failure instanceof final CallFailedException reason)
        {
            throw reason.again();
        }

        if (null != failure)
        {
            throw failure;
        }

        return result;
    }

    @Override
    public final boolean await(final Duration timeout)
    {
        final long beginNs = System.nanoTime();
        long leftNs = timeout.toNanos();
        while (!isDone() && leftNs > 0)
        {
            rest(leftNs < SLICE.toNanos() ? Duration.ofNanos(leftNs) : SLICE);
            leftNs = timeout.toNanos() - (System.nanoTime() - beginNs);
        }

        return isDone();
    }

    private void rest(final Duration longest)
    {
        final Completion<T> one = made;
        if (owner.isDriven())
        {
            owner.cycle();
        }
        else if (null != one && one != lost)
        {
            one.await(longest);
        }
        else
        {
            awaitMade();
        }
    }

    /** An interrupt is kept for the caller. */
    private synchronized void awaitMade()
    {
        if (!hasEnded && made == lost)
        {
            MaskingEngine.waitUninterruptibly(this, REST_MS);
        }
    }
}
