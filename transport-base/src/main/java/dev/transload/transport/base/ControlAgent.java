/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.TransportConfig;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.agrona.concurrent.SystemNanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the transport's own thread. The thread connects channels, checks the liveness of peers and serves requests of
 * peers, even while the application's threads sleep.
 */
public final class ControlAgent
{
    private static final Logger LOG = LoggerFactory.getLogger(ControlAgent.class);
    private static final long FAREWELL_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ControlMedium medium;
    private final PeerLinks links;
    private final AgentIdle idle;
    private final ManyToOneConcurrentLinkedQueue<Runnable> commands = new ManyToOneConcurrentLinkedQueue<>();
    private final Thread thread;
    private volatile boolean closing;
    private volatile boolean halted;
    private volatile long passes;

    /**
     * Creates an agent. Call {@link #start()} to start its thread.
     *
     * @param config configuration of the transport.
     * @param own    identity of this rank.
     * @param medium medium for control messages; this agent closes it.
     * @param hooks  callbacks of the transport.
     * @param idle   idle strategy of the thread.
     */
    public ControlAgent(
        final TransportConfig config,
        final PeerIdentity own,
        final ControlMedium medium,
        final ControlHooks hooks,
        final AgentIdle idle)
    {
        this.medium = medium;
        this.links = new PeerLinks(config, own, medium, hooks, SystemNanoClock.INSTANCE);
        this.idle = idle;
        // A sign of life that is late by a sleep, and heard late by another one, is still less than two intervals old.
        idle.sleepWithin(links.heartbeatNs() / 2);
        this.thread = new Thread(this::run, "transload-" + own.transport() + "-" + own.rank());
        thread.setDaemon(true);
    }

    /** Starts the thread. This method must be called once. */
    public void start()
    {
        thread.start();
    }

    /**
     * Asks the peer of a channel to accept the channel, and reports the result to the channel. Any thread may call this
     * method.
     *
     * @param channel channel to connect.
     * @param worker  index of the peer's worker.
     */
    public void connect(final AbstractChannel channel, final int worker)
    {
        execute(() -> links.connect(channel, worker));
    }

    /**
     * Removes a channel from the agent. Any thread may call this method.
     *
     * @param channel channel that was closed.
     */
    public void disconnect(final AbstractChannel channel)
    {
        execute(() -> links.disconnect(channel));
    }

    /**
     * Reports that a peer has failed, for example because a stream to the peer broke. Any thread may call this method.
     * The agent calls {@link ControlHooks#onPeerFailed}, makes all channels to the peer fail, and closes the control
     * stream to the peer. The call has no effect if the peer has already failed or left, or if neither rank has tried
     * to connect a channel to the other.
     *
     * @param transportId  transport ID in the peer's identity.
     * @param how          how the failure was noticed: a clause, such as <i>its endpoint was reset</i>.
     * @param nativeStatus status code of the library, or {@link dev.transload.spi.TransportException#NO_STATUS}.
     * @param cause        exception that caused the failure, or null.
     */
    public void reportFailed(
        final long transportId, final String how, final int nativeStatus, final Throwable cause)
    {
        execute(() -> links.fail(transportId, how, nativeStatus, cause));
    }

    /**
     * Queues a command for the transport's thread. Any thread may call this method. Commands run in the order of the
     * calls. Commands queued after the thread has ended are not run.
     *
     * @param command command to run; it must not block.
     */
    public void execute(final Runnable command)
    {
        commands.add(command);
        wake();
    }

    /** Ends the thread's sleep. Any thread may call this method. */
    public void wake()
    {
        idle.wake();
    }

    /**
     * Returns how many times the thread has looked for work. Any thread may call this method. If a caller depends on
     * the thread and the number does not change, the caller may be occupying the core that the thread needs.
     *
     * @return number of passes.
     */
    public long passes()
    {
        return passes;
    }

    /** Sends goodbye messages, stops the thread and closes the medium. This method returns within a fixed time. */
    public void close()
    {
        closing = true;
        wake();
        if (isOwnThread())
        {
            return;
        }

        boolean interrupted = false;
        while (thread.isAlive())
        {
            try
            {
                thread.join();
            }
            catch (final InterruptedException ex)
            {
                LOG.debug("interrupted while closing: closing goes on", ex);
                interrupted = true;
            }
        }

        if (halted)
        {
            medium.close();
        }

        if (interrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Returns whether the calling thread is the transport's thread. The transport's thread must not wait for its own
     * end.
     *
     * @return true if the calling thread is the transport's thread.
     */
    public boolean isOwnThread()
    {
        return Thread.currentThread() == thread;
    }

    /** Stops the thread as a crash would, without sending goodbye messages. For tests only. */
    public void halt()
    {
        halted = true;
        wake();
    }

    private void run()
    {
        try
        {
            while (!closing && !halted)
            {
                idle.idle(doWork());
            }

            if (!halted)
            {
                depart();
            }
        }
        finally
        {
            if (!halted)
            {
                medium.close();
            }
        }
    }

    private void depart()
    {
        drainCommands();
        links.sayGoodbye();
        final long deadlineNs = System.nanoTime() + FAREWELL_NS;
        while (links.isWaitingForFarewell() && System.nanoTime() - deadlineNs < 0)
        {
            idle.idle(doWork());
        }
    }

    private int doWork()
    {
        if (Thread.interrupted())
        {
            // A library would take it as the order to stop for good.
            LOG.warn("{} was interrupted, which has no meaning here", thread.getName());
        }

        if (medium.isClosed())
        {
            links.failAll(medium.closedReason());
            return drainCommands();
        }

        passes = passes + 1;
        int work = 0;
        try
        {
            final int mediumWork = medium.drive();
            work += drainCommands();
            work += links.doWork();
            // A medium is never quite idle; that it keeps a quiet stream alive is no reason to stay awake.
            work += links.isBusy() ? mediumWork : 0;
        }
        catch (final RuntimeException ex)
        {
            LOG.error("{}: {}", thread.getName(), ex.getMessage(), ex);
        }

        return work;
    }

    private int drainCommands()
    {
        int count = 0;
        Runnable command = commands.poll();
        while (null != command)
        {
            run(command);
            count++;
            command = commands.poll();
        }

        return count;
    }

    /** One that fails keeps no later one from being run. */
    private void run(final Runnable command)
    {
        try
        {
            command.run();
        }
        catch (final RuntimeException ex)
        {
            LOG.error("{}: {}", thread.getName(), ex.getMessage(), ex);
        }
    }
}
