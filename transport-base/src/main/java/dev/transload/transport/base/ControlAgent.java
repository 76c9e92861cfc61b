/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.TransportConfig;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.agrona.concurrent.SystemNanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transport's own thread: it connects channels, keeps and judges liveness, and does everything else that peers may
 * expect while our callers sleep.
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
     * Of a transport; {@link #start()} starts it.
     *
     * @param config of the transport.
     * @param own    identity.
     * @param medium of control messages, which this agent closes.
     * @param hooks  of the transport.
     * @param idle   strategy of the thread.
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

    /** Start the thread, once. */
    public void start()
    {
        thread.start();
    }

    /**
     * From any thread: ask the channel's peer for it. The channel hears the answer.
     *
     * @param channel to be connected.
     * @param worker  index of the peer's worker.
     */
    public void connect(final AbstractChannel channel, final int worker)
    {
        execute(() -> links.connect(channel, worker));
    }

    /**
     * From any thread: forget a channel.
     *
     * @param channel that is closed.
     */
    public void disconnect(final AbstractChannel channel)
    {
        execute(() -> links.disconnect(channel));
    }

    /**
     * From any thread: a peer has failed, as a stream or an endpoint to it shows. Its channels fail, and its other
     * connections end. Nothing happens when it has failed or left before, or nobody has been connected to it.
     *
     * @param transportId  of the peer's identity.
     * @param how          that was noticed: a clause, such as <i>its endpoint was reset</i>.
     * @param nativeStatus of the library or {@link dev.transload.spi.TransportException#NO_STATUS}.
     * @param cause        or null.
     */
    public void reportFailed(
        final long transportId, final String how, final int nativeStatus, final Throwable cause)
    {
        execute(() -> links.fail(transportId, how, nativeStatus, cause));
    }

    /**
     * From any thread: have something done by the transport's thread, after what was asked for before. Nothing is done
     * after the thread has ended.
     *
     * @param command which must not block.
     */
    public void execute(final Runnable command)
    {
        commands.add(command);
        wake();
    }

    /** From any thread: end the thread's sleep. */
    public void wake()
    {
        idle.wake();
    }

    /**
     * From any thread: how often the thread has looked for work. A caller that needs its work and sees no new pass may
     * have the core that it needs.
     *
     * @return number that grows by one with each pass.
     */
    public long passes()
    {
        return passes;
    }

    /** Say goodbye, stop the thread and close the medium; bounded by a deadline. */
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
     * Whether the caller is the transport's thread, e.g. in an error handler: it cannot wait for its own end.
     *
     * @return whether the calling thread is the agent's.
     */
    public boolean isOwnThread()
    {
        return Thread.currentThread() == thread;
    }

    /** As a crash would, for tests: the thread stops without a goodbye, and peers hear no more of it. */
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
