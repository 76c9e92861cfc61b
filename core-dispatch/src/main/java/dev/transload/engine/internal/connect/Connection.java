/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.observe.ThreadCounters;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Stage;
import dev.transload.spi.Channel;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportException;
import dev.transload.spi.Worker;

/**
 * An SPI channel to one peer, for one channel of the pipeline and one stage, with the peer's arenas and signals as its
 * worker imported them.
 */
public final class Connection implements AutoCloseable
{
    /** What a connection is for. Connections to one peer do not hold each other's operations back. */
    public enum Use
    {
        /** All that has no connection of its own. */
        GENERAL,
        /** Copies from device memory to host memory of the own rank, on their way to another node. */
        STAGING_OUT,
        /** Copies from host memory to device memory of the own rank, on their way from another node. */
        STAGING_IN
    }

    private final Stage stage;
    private final int channelIndex;
    private final int peer;
    private final Use use;
    private final PeerDirectory directory;
    private final ThreadCounters counters;
    private RemoteRegion[] arenas;
    private Worker worker;
    private int index;
    private Channel channel;
    private RemoteSignals signals;
    private volatile boolean wasConnected;
    private long refusals;

    /**
     * Not yet open.
     *
     * @param channelIndex channel of the pipeline, −1 for calls' meta messages.
     * @param use          what goes by it.
     * @param counters     of the owning thread.
     */
    public Connection(
        final Stage stage, final int channelIndex, final int peer, final Use use, final PeerDirectory directory,
        final ThreadCounters counters)
    {
        this.stage = stage;
        this.channelIndex = channelIndex;
        this.peer = peer;
        this.use = use;
        this.directory = directory;
        this.counters = counters;
    }

    /**
     * Connect and import; on the thread that will drive the worker.
     *
     * @param workerIndex index of it, which chooses the peer's worker.
     * @param sibling     open connection of this worker to the same peer and stage, whose imports serve both; or null.
     */
    public void open(final Worker owner, final int workerIndex, final Connection sibling)
    {
        worker = owner;
        index = workerIndex;
        reopen();
        if (null != sibling)
        {
            arenas = sibling.arenas;
            signals = sibling.signals;
            return;
        }

        signals = owner.importSignals(peer, directory.signals(peer, stage));
        arenas = new RemoteRegion[directory.arenaCount()];
        for (int i = 0; i < arenas.length; i++)
        {
            if (directory.exports(peer, stage, i))
            {
                arenas[i] = owner.importRegion(peer, directory.arena(peer, i));
            }
        }
    }

    /** Connect anew once it is closed, with the imports that it has; positions begin at 0. */
    public void reopen()
    {
        channel = worker.connect(peer, directory.incarnation(peer), directory.workerAddress(peer, stage, index));
    }

    /**
     * Whether operations are accepted.
     *
     * @throws TransportException if the channel failed.
     */
    public boolean isConnected()
    {
        if (null != channel.failure())
        {
            throw channel.failure();
        }

        wasConnected = channel.isConnected();
        return wasConnected;
    }

    /** Whether the owning thread has seen the channel connected; any thread may ask. */
    public boolean wasConnected()
    {
        return wasConnected;
    }

    /**
     * Result of an operation, with terminal statuses turned into exceptions.
     *
     * @param status returned by the channel.
     * @return true if the operation was accepted, false to retry later.
     * @throws TransportException if the channel failed or was closed.
     */
    public boolean isAccepted(final long status)
    {
        if (status >= 0)
        {
            return true;
        }

        if (Channel.FAILED == status)
        {
            throw channel.failure();
        }

        if (Channel.CLOSED == status)
        {
            throw new TransportException(
                "channel to rank " + peer + " was closed under the engine", TransportException.NO_STATUS, null);
        }

        counters.refused();
        refusals++;
        return false;
    }

    /**
     * Operations that the channel did not take.
     *
     * @return times, those included that were tried again.
     */
    public long refusals()
    {
        return refusals;
    }

    /**
     * A section of the peer.
     *
     * @param section of the own map; offsets are equal.
     */
    public RemoteRegion remote(final Section section)
    {
        return arenas[section.arena().id()];
    }

    /**
     * Whether the peer's memory can be read and written in place, and so, both being of one host, this rank's by it.
     *
     * @param section of the own map, exported with memory of the same kind and stage.
     * @return true if its import has a window.
     */
    public boolean hasWindow(final Section section)
    {
        return null != remote(section) && null != remote(section).window();
    }

    /** Close the channel; imports stay as long as the worker. */
    @Override
    public void close()
    {
        if (null != channel)
        {
            channel.close();
        }
    }

    public Channel channel()
    {
        return channel;
    }

    /** The peer's signals of this stage. */
    public RemoteSignals signals()
    {
        return signals;
    }

    /** Worker that owns the channel. */
    public Worker worker()
    {
        return worker;
    }

    public Stage stage()
    {
        return stage;
    }

    /**
     * Channel of the pipeline.
     *
     * @return channel index, −1 for meta messages.
     */
    public int channelIndex()
    {
        return channelIndex;
    }

    /** What goes by it. */
    public Use use()
    {
        return use;
    }

    /** Rank at the other end. */
    public int peer()
    {
        return peer;
    }

    /** Rank at this end. */
    public int ownRank()
    {
        return directory.rank();
    }

    /** Figures of the owning thread. */
    public ThreadCounters counters()
    {
        return counters;
    }

    /**
     * Report what was handed to the channel and still has sources in use, or is not taken by it.
     *
     * @param position at which the sources are released.
     * @param isActive whether operations are left that the channel has not taken.
     * @return false if neither is so.
     * @throws TransportException if the channel failed.
     */
    public boolean isWaiting(final Wait wait, final long position, final boolean isActive)
    {
        final long released = channel.releasedPosition();
        if (released < position)
        {
            return isWaiting(wait, position, released);
        }

        // The next operation: a channel whose peer has stalled is full at last.
        return isActive && isWaiting(wait, channel.position() + 1, channel.position());
    }

    private boolean isWaiting(final Wait wait, final long position, final long seen)
    {
        if (null != channel.failure())
        {
            throw channel.failure();
        }

        return wait.set(peer, channelIndex, WaitCounter.POSITION, position, seen);
    }

    /** Transport of a stage, for lists. */
    public Transport transport()
    {
        return directory.transport(stage);
    }
}
