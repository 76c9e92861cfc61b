/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.CallFailedException;
import dev.transload.engine.CallFailedException.Reason;
import dev.transload.spi.TransportException;
import dev.transload.spi.Worker;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.IdleStrategy;

/**
 * The thread that brings what steps of a device post for far ranks, also while nobody calls and a graph is replayed. It
 * owns the scale-out worker and all connections to far ranks (rule THR-1). A rank that it loses is masked by the
 * calling thread, when that looks, and by the steps, which wait for the rank in vain.
 */
final class FarPump implements Agent, FarVerdict, AutoCloseable
{
    private final int ownRank;
    private final Worker worker;
    /** By rank, null where it is not far. */
    private final PeerLink[] links;
    private final RankMask mask;
    private final long openTimeoutNs;
    private final AgentRunner runner;
    private final Queue<FutureTask<?>> commands = new ConcurrentLinkedQueue<>();
    private final FarPosts[] posts = new FarPosts[Shape.LANES];
    /** By rank: what was seen of it has been told. */
    private final boolean[] isLost;
    private final boolean[] isClosed;
    private boolean isMet;
    private volatile long timeoutNs;
    private volatile Thread thread;
    private volatile RuntimeException trouble;
    private boolean isStopped;

    FarPump(
        final int ownRank, final Worker worker, final PeerLink[] links, final RankMask mask, final long timeoutNs,
        final long openTimeoutNs, final IdleStrategy idle)
    {
        this.ownRank = ownRank;
        this.worker = worker;
        this.links = links;
        this.mask = mask;
        this.timeoutNs = timeoutNs;
        this.openTimeoutNs = openTimeoutNs;
        this.isLost = new boolean[links.length];
        this.isClosed = new boolean[links.length];
        this.runner = new AgentRunner(idle, this::fail, null, this);
    }

    /** Begin to connect. */
    void start()
    {
        AgentRunner.startOnThread(runner, (task) ->
        {
            thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** {@inheritDoc} A worker is closed by the thread that owns it. */
    @Override
    public void onClose()
    {
        worker.close();
    }

    private void fail(final Throwable error)
    {
        if (null == trouble)
        {
            trouble = error instanceof RuntimeException ? (RuntimeException)error : new IllegalStateException(error);
        }
    }

    /** On the calling thread: refuses to go on where this one could not. */
    void requireSound()
    {
        if (null != trouble)
        {
            throw new CallFailedException(Reason.INTERNAL, ownRank, "rank " + ownRank +
                " cannot reach far ranks any more: " + trouble.getMessage(), trouble);
        }
    }

    @Override
    public String roleName()
    {
        return "transload-ll-pump-" + ownRank;
    }

    @Override
    public void onStart()
    {
        for (final PeerLink link : links)
        {
            if (null != link)
            {
                link.open(worker, false);
            }
        }
    }

    @Override
    public int doWork()
    {
        try
        {
            return step();
        }
        catch (final RuntimeException ex)
        {
            fail(ex);
            throw new AgentTerminationException(ex);
        }
    }

    private int step()
    {
        int work = worker.progress();
        final FutureTask<?> command = commands.poll();
        if (null != command)
        {
            command.run();
            work++;
        }

        if (!isMet)
        {
            return work + meet();
        }

        final long nowNs = System.nanoTime();
        for (int lane = 0; lane < posts.length; lane++)
        {
            work += null == posts[lane] ? 0 : posts[lane].doWork(nowNs, timeoutNs);
        }

        look();
        return work;
    }

    private int meet()
    {
        int met = 0;
        boolean isAll = true;
        for (final PeerLink link : links)
        {
            if (null != link && !link.isMet())
            {
                final boolean isNew = link.meet();
                met += isNew ? 1 : 0;
                isAll &= isNew;
            }
        }

        isMet = isAll;
        return met;
    }

    /**
     * Tell of failed channels, and close those to ranks that take part no more, or are lost, while nobody has to wait
     * for that. What was posted for them is not released before, and no step writes for others before it is.
     */
    private void look()
    {
        for (int rank = 0; rank < links.length; rank++)
        {
            if (null == links[rank])
            {
                continue;
            }

            final TransportException failure = isLost[rank] ? null : links[rank].look();
            if (null != failure)
            {
                mask(rank, failure.getMessage());
            }

            if (isActive(rank))
            {
                isClosed[rank] = false;
            }
            else if (!isClosed[rank] && isAtRest())
            {
                links[rank].revoke();
                isClosed[rank] = true;
            }
        }
    }

    private boolean isAtRest()
    {
        boolean isAtRest = true;
        for (final FarPosts lane : posts)
        {
            isAtRest &= null == lane || lane.isAtRest();
        }

        return isAtRest;
    }

    @Override
    public boolean isActive(final int rank)
    {
        return !isLost[rank] && !mask.isGone(rank);
    }

    @Override
    public boolean maskIfGone(final int rank)
    {
        links[rank].look();
        return !isActive(rank);
    }

    /** {@inheritDoc} The calling thread masks it, when it looks. */
    @Override
    public void mask(final int rank, final String reason)
    {
        isLost[rank] = true;
        mask.tell(rank, reason);
    }

    /** From the calling thread: how long far ranks may take nothing. */
    void timeoutNs(final long ns)
    {
        timeoutNs = ns;
    }

    /** There will be something to do soon. */
    void wake()
    {
        LockSupport.unpark(thread);
    }

    /** Bring what a lane posts from now on. */
    void add(final int lane, final FarPosts ofLane)
    {
        run(() -> posts[lane] = ofLane);
    }

    /** A rank connects anew; it is masked until this has returned. */
    void reconnect(final int rank, final int generation)
    {
        run(() ->
        {
            links[rank].reconnect(generation);
            isLost[rank] = false;
            // Not to be closed again, until it takes part.
            isClosed[rank] = true;
            for (final FarPosts lane : posts)
            {
                lane.reset(rank);
            }

            return null;
        });
    }

    /** Have all that was posted arrive, until a time. */
    void settle(final long deadlineNs)
    {
        if (null != trouble)
        {
            return;
        }

        run(() ->
        {
            boolean isSettled = false;
            while (!isSettled && System.nanoTime() - deadlineNs < 0)
            {
                Thread.onSpinWait();
                worker.progress();
                final long nowNs = System.nanoTime();
                isSettled = true;
                for (final FarPosts lane : posts)
                {
                    if (null != lane)
                    {
                        lane.doWork(nowNs, timeoutNs);
                        isSettled &= lane.isDelivered(nowNs, timeoutNs);
                    }
                }
            }

            return null;
        });
    }

    private void run(final Callable<?> body)
    {
        requireSound();
        final FutureTask<?> command = new FutureTask<>(body);
        commands.add(command);
        wake();
        try
        {
            command.get(openTimeoutNs, TimeUnit.NANOSECONDS);
        }
        catch (final ExecutionException ex)
        {
            throw ex.getCause() instanceof RuntimeException ? (RuntimeException)ex.getCause() :
                new IllegalStateException(ex.getCause());
        }
        catch (final TimeoutException ex)
        {
            requireSound();
            throw new CallFailedException(Reason.DEADLINE, ownRank, "rank " + ownRank + "'s thread for far ranks did " +
                "not answer within " + TimeUnit.NANOSECONDS.toMillis(openTimeoutNs) + " ms", ex);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new CallFailedException(Reason.INTERNAL, ownRank, "rank " + ownRank + " was interrupted", ex);
        }
    }

    /** Nothing is brought any more, and no worker used. */
    @Override
    public void close()
    {
        if (!isStopped)
        {
            isStopped = true;
            runner.close();
        }
    }
}
