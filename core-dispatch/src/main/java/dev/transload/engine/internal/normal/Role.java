/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.Traffic;
import dev.transload.engine.internal.observe.CounterBlock;
import dev.transload.engine.internal.observe.ThreadCounters;
import dev.transload.engine.internal.ring.Cursor;
import dev.transload.engine.internal.wire.Wait;

/**
 * One of the engine's roles: it takes part in each call of its kind, a bounded piece of work a duty cycle, never
 * blocking. Roles of different threads synchronize only by cursors, signals, and flags of the call such as
 * {@link DispatchCall#isOutputReady}.
 *
 * @param <C> calls in which it takes part.
 */
public abstract class Role<C extends Call>
{
    private static final int BUSY_NS = 0;
    private static final int WAIT_NS = 1;
    private static final int COUNTERS = 2;

    private final Class<C> calls;
    private final String name;
    private final Traffic traffic;
    private final Cursor done = new Cursor();
    private final CounterBlock figures = new CounterBlock(COUNTERS);
    private long current;
    private boolean isFinished = true;

    /**
     * A role that puts no rows into rings.
     *
     * @param calls in which it takes part.
     * @param name  for statistics, equal for all its instances.
     */
    protected Role(final Class<C> calls, final String name)
    {
        this(calls, name, null);
    }

    /**
     * With what it moves.
     *
     * @param calls   in which it takes part.
     * @param name    for statistics, equal for all its instances.
     * @param traffic which its rows count as, or null if it puts none into rings.
     */
    protected Role(final Class<C> calls, final String name, final Traffic traffic)
    {
        this.calls = calls;
        this.name = name;
        this.traffic = traffic;
    }

    /**
     * A call is under way: get ready for it.
     *
     * @return false if this role has no part in it.
     */
    protected abstract boolean begin(C call);

    /**
     * Do a piece of work.
     *
     * @return amount, 0 if there is nothing to do at present.
     */
    protected abstract int step();

    /** Whether this role's part in the call is done, sources released. */
    protected abstract boolean isComplete();

    /**
     * What this role waits for; called by its own thread when that finds nothing to do.
     *
     * @return false if it waits for nobody.
     */
    public abstract boolean isWaiting(Wait wait);

    /** Whether all ranks wait for this role, so that its thread looks after it between any two others. */
    public boolean isUrgent()
    {
        return false;
    }

    public final Traffic traffic()
    {
        return traffic;
    }

    /** Take part in the call under way, a piece of work; one of another kind is finished at once. */
    public final int doWork(final Call call, final ThreadCounters counters)
    {
        counters.countFor(call.isCombine());
        int work = 0;
        if (call.number() != current)
        {
            current = call.number();
            isFinished = false;
            work++;
            if (!calls.isInstance(call) || !begin(calls.cast(call)))
            {
                finish();
            }
        }

        if (!isFinished)
        {
            work += step();
            if (isComplete())
            {
                finish();
                work++;
            }
        }

        return work;
    }

    /** Book time in which it did something. */
    public final void bookWork(final long ns)
    {
        figures.add(BUSY_NS, ns);
    }

    /** Book time without work; none counts where its part in the call is done. */
    public final void bookWaiting(final long ns)
    {
        if (!isFinished)
        {
            figures.add(WAIT_NS, ns);
        }
    }

    /**
     * Whether this role still has work in the call under way.
     *
     * @return true if it is not finished.
     */
    public final boolean isUnderWay()
    {
        return !isFinished;
    }

    /** Number of the last call in which this role finished; any thread may ask. */
    public final long finishedCall()
    {
        return done.getAcquire();
    }

    /** Name for statistics. */
    public final String name()
    {
        return name;
    }

    public final long busyNs()
    {
        return figures.get(BUSY_NS);
    }

    public final long waitNs()
    {
        return figures.get(WAIT_NS);
    }

    private void finish()
    {
        isFinished = true;
        done.setRelease(current);
    }
}
