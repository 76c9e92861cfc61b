/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import io.aeron.Image;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The transport's own thread: it runs Aeron, and everything that peers may expect while our callers sleep. */
final class ControlAgent implements Runnable
{
    private static final Logger LOG = LoggerFactory.getLogger(ControlAgent.class);
    private static final long FAREWELL_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Medium medium;
    private final PeerLinks links;
    private final IdleStrategy idle;
    private final ManyToOneConcurrentLinkedQueue<Runnable> commands = new ManyToOneConcurrentLinkedQueue<>();
    private final Thread thread;
    private volatile boolean closing;
    private volatile boolean halted;

    ControlAgent(final int rank, final AeronOptions options, final Medium medium, final PeerLinks links)
    {
        this.medium = medium;
        this.links = links;
        this.idle = AgentIdle.of(options);
        this.thread = new Thread(this, "transload-aeron-" + rank);
        thread.setDaemon(true);
    }

    void start()
    {
        thread.start();
    }

    /** From any thread: ask for a channel to be connected. */
    void connect(final AeronChannel channel, final WorkerAddress address)
    {
        execute(() -> links.connect(channel, address));
    }

    /** From any thread: forget a channel. */
    void disconnect(final AeronChannel channel)
    {
        execute(() -> links.disconnect(channel));
    }

    /** From any thread: nobody uses this stream any more. */
    void closeStream(final OperationStream stream)
    {
        execute(() -> links.closeStream(stream));
    }

    /** From any thread: end the thread's sleep. */
    void wake()
    {
        AgentIdle.wake(idle);
    }

    /** An image of ours ended; Aeron calls it on this agent's thread. */
    void onLostImage(final Image image)
    {
        links.onLostImage(image);
    }

    /** Say goodbye, stop the thread and close Aeron; bounded by a deadline. */
    void close()
    {
        closing = true;
        wake();
        if (Thread.currentThread() == thread)
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

    /** As a crash would, for tests: the thread stops without a goodbye, and peers hear no more of it. */
    void halt()
    {
        halted = true;
        wake();
    }

    @Override
    public void run()
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
        while (links.isAwaitingFarewell() && System.nanoTime() - deadlineNs < 0)
        {
            idle.idle(doWork());
        }
    }

    private int doWork()
    {
        int work = 0;
        if (Thread.interrupted())
        {
            // Aeron would stop for good.
            LOG.warn("{} was interrupted, which has no meaning here", thread.getName());
        }

        if (medium.isClosed())
        {
            links.failAll("the media driver or its client is gone");
            return drainCommands();
        }

        try
        {
            final int mediumWork = medium.invoke();
            work += drainCommands();
            work += links.doWork();
            // Aeron is never quite idle; that it keeps a quiet stream alive is no reason to stay awake.
            work += links.isBusy() ? mediumWork : 0;
        }
        catch (final RuntimeException ex)
        {
            LOG.error("{}: {}", thread.getName(), ex.getMessage(), ex);
        }

        return work;
    }

    private void execute(final Runnable command)
    {
        commands.add(command);
        wake();
    }

    private int drainCommands()
    {
        int count = 0;
        Runnable command = commands.poll();
        while (null != command)
        {
            command.run();
            count++;
            command = commands.poll();
        }

        return count;
    }
}
