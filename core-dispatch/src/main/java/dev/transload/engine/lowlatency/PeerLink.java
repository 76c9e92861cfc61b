/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.TensorMemory;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.PeerDirectory;
import dev.transload.engine.internal.observe.ThreadCounters;
import dev.transload.engine.internal.world.Stage;
import dev.transload.kernels.StepPeer;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.TransportException;
import dev.transload.spi.Worker;

/**
 * The way to another rank: its memory, and connections by the stage that reaches it, one for each channel. Two ranks
 * are near where each has windows to the other's memory, which they tell each other by a signal as they connect.
 */
final class PeerLink
{
    private static final int FAR = 1;
    private static final int NEAR = 2;

    private final int rank;
    private final int ownRank;
    private final Stage stage;
    private final Stage inStage;
    private final SignalRegion inSignals;
    private final Connection[] connections;
    private final LowLatencyMemory memory;
    private final StepPeer[] windows = new StepPeer[Shape.LANES];
    private boolean hasWindows;
    private final long[] arrivals;
    /** Channels by which the peer was told. */
    private int told;
    private boolean isRevoked;
    private int generation;
    /** Whether another thread than the calling one owns the connections. */
    private boolean isElsewhere;
    private volatile boolean isMet;
    /** As that thread has seen it. */
    private volatile TransportException seen;

    PeerLink(
        final int rank, final int ownRank, final int channels, final Routes routes, final PeerDirectory directory,
        final LowLatencyMemory memory, final ThreadCounters counters)
    {
        this.rank = rank;
        this.ownRank = ownRank;
        this.stage = routes.stage(ownRank, rank);
        this.inStage = routes.stage(rank, ownRank);
        this.inSignals = memory.signals(inStage);
        this.memory = memory;
        this.connections = new Connection[channels];
        this.arrivals = new long[channels];
        for (int channel = 0; channel < connections.length; channel++)
        {
            connections[channel] = new Connection(stage, channel, rank, Connection.Use.GENERAL, directory, counters);
        }
    }

    /** Another thread is to own the connections; before they are opened. */
    void giveAway()
    {
        isElsewhere = true;
    }

    /** Whether another thread owns the connections; the calling one may ask for what that has seen. */
    boolean isElsewhere()
    {
        return isElsewhere;
    }

    /** By the owner of the connections: whether both ends are connected and know how they reach each other. */
    boolean meet()
    {
        isMet = isMet || isConnected() && isReachKnown();
        return isMet;
    }

    /** Whether {@link #meet()} was true. */
    boolean isMet()
    {
        return isMet;
    }

    /** By the owner of the connections: see whether a channel has failed, for others too. */
    TransportException look()
    {
        if (null == seen)
        {
            seen = failureOfChannels();
        }

        return seen;
    }

    /** Import and connect, on the thread that drives the worker. */
    void open(final Worker owner, final boolean mayBeNear)
    {
        for (final Connection connection : connections)
        {
            connection.open(owner, 0, connection == connections[0] ? null : connections[0]);
        }

        hasWindows = mayBeNear;
        for (int lane = 0; lane < Shape.LANES; lane++)
        {
            final MemoryRegion words = mayBeNear ? words(lane).window() : null;
            final MemoryRegion slots = mayBeNear && null != slots(lane) ? slots(lane).window() : null;
            hasWindows &= null != words && (null == slots(lane) || null != slots);
            windows[lane] = StepPeer.near(words, slots);
        }
    }

    /**
     * Tell the peer whether this rank has windows to its memory, as soon as that can be told. All channels take part:
     * near ranks use none of them later, and a channel must not be closed while its handshake still goes on.
     */
    private void tellReach()
    {
        while (told < connections.length && channel(told).isConnected() && channel(told).atomicAdd(
            connections[0].signals(), signal(ownRank, told), hasWindows ? NEAR : FAR) >= 0)
        {
            told++;
        }
    }

    private int signal(final int of, final int channel)
    {
        return of * connections.length + channel;
    }

    /** Whether both know how they reach each other, by all channels. */
    boolean isReachKnown()
    {
        tellReach();
        boolean isKnown = told == connections.length;
        for (int channel = 0; channel < told; channel++)
        {
            isKnown &= flush(channel, arrivals, channel) & inSignals.getAcquire(signal(rank, channel)) > 0;
        }

        return isKnown;
    }

    boolean isNear()
    {
        return hasWindows && NEAR == inSignals.getAcquire(signal(rank, 0));
    }

    StepPeer windows(final int lane)
    {
        return windows[lane];
    }

    /** Leave the rank alone: nothing more is read for it or written to it. */
    void revoke()
    {
        isRevoked = true;
        for (final Connection connection : connections)
        {
            connection.close();
        }
    }

    boolean isRevoked()
    {
        return isRevoked;
    }

    /** Number of the connection; both ends must have the same. */
    int generation()
    {
        return generation;
    }

    /** Connect anew. */
    void reconnect(final int next)
    {
        revoke();
        generation = next;
        for (final Connection connection : connections)
        {
            connection.reopen();
        }

        isRevoked = false;
        seen = null;
    }

    /** Have a channel's operations arrive; keeps the position to reach, true once it is reached or never will be. */
    boolean flush(final int channel, final long[] positions, final int index)
    {
        if (0 == positions[index])
        {
            positions[index] = Math.max(0, channel(channel).flush());
        }

        return 0 != positions[index] && channel(channel).deliveredPosition() >= positions[index];
    }

    /** Why a channel failed, null while none did. */
    TransportException failure()
    {
        return isElsewhere ? seen : failureOfChannels();
    }

    private TransportException failureOfChannels()
    {
        for (final Connection connection : connections)
        {
            if (null != connection.channel().failure())
            {
                return connection.channel().failure();
            }
        }

        return null;
    }

    boolean isConnected()
    {
        for (final Connection connection : connections)
        {
            if (!connection.channel().isConnected())
            {
                return false;
            }
        }

        return true;
    }

    int rank()
    {
        return rank;
    }

    /** Stage by which this rank writes to the peer. */
    Stage stage()
    {
        return stage;
    }

    /** Stage by which the peer writes to this rank. */
    Stage inStage()
    {
        return inStage;
    }

    /** A list of rows that its channels put. */
    RowList allocateRows(final int capacity)
    {
        return connections[0].transport().allocateRows(capacity);
    }

    int channels()
    {
        return connections.length;
    }

    Channel channel(final int index)
    {
        return connections[index].channel();
    }

    /** The peer's memory that this rank writes. */
    RemoteRegion words(final int lane)
    {
        return connections[0].remote(memory.words(stage, lane));
    }

    /** Null where steps of a device use none. */
    RemoteRegion slots(final int lane)
    {
        return connections[0].remote(memory.slots(stage, lane));
    }

    /** Registration of own memory with the transport that reaches the peer. */
    MemoryRegion region(final TensorMemory own)
    {
        return Stage.SCALE_OUT == stage ? own.scaleOutRegion() : own.scaleUpRegion();
    }
}
