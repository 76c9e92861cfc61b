/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.connect.Connection;
import dev.transload.engine.connect.PeerDirectory;
import dev.transload.engine.connect.Section;
import dev.transload.engine.observe.ThreadCounters;
import dev.transload.engine.world.Stage;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.TransportException;
import dev.transload.spi.Worker;
import java.util.Arrays;

/**
 * The way to another rank: connections by the stage that reaches it, one for each channel, and the counts by which the
 * signals of both directions are known. A generation connects once; the next one has signals of its own.
 */
final class PeerLink
{
    /** Lower bits of a signal: calls, at thousands a second for ten years. The upper ones count releases. */
    private static final int COUNT_BITS = 40;

    /** What a release adds to the signals besides 1, so that it is told from a combine. */
    static final long RELEASE = 1L << COUNT_BITS;

    private static final long COUNT_MASK = RELEASE - 1;
    private static final long RELEASES_MASK = -1L >>> COUNT_BITS;

    private final int rank;
    private final int ownRank;
    private final Stage stage;
    private final Slots slots;
    private final SignalRegion inSignals;
    private final Stage inStage;
    private final int writer;
    private final int writers;
    private final int inWriter;
    private final int inWriters;
    private final Connection[] connections;
    private final Section payloads;
    private final Section messageRows;
    private final long[] uses = new long[Slots.SETS];
    private final long[] releases = new long[Slots.SETS];
    private RemoteRegion payload;
    private RemoteRegion messages;
    private RemoteSignals signals;
    private int generation;

    PeerLink(
        final int rank, final int ownRank, final Slots slots, final Routes routes, final PeerDirectory directory,
        final LowLatencyMemory memory, final ThreadCounters tally)
    {
        this.rank = rank;
        this.ownRank = ownRank;
        this.slots = slots;
        this.stage = routes.stage(ownRank, rank);
        this.inStage = routes.stage(rank, ownRank);
        this.inSignals = memory.signals(inStage);
        this.writer = routes.writer(ownRank, rank);
        this.writers = routes.writers(stage, rank);
        this.inWriter = routes.writer(rank, ownRank);
        this.inWriters = routes.writers(inStage, ownRank);
        this.payloads = memory.payloadSection(stage);
        this.messageRows = memory.messageSection(stage);
        this.connections = new Connection[slots.channels()];
        for (int channel = 0; channel < connections.length; channel++)
        {
            connections[channel] = new Connection(stage, channel, rank, Connection.Use.LANE, directory, tally);
        }
    }

    /** Import and connect, on the thread that drives the worker. */
    void open(final Worker owner)
    {
        for (final Connection connection : connections)
        {
            connection.open(owner, 0, connection == connections[0] ? null : connections[0]);
        }

        payload = connections[0].remote(payloads);
        messages = connections[0].remote(messageRows);
        signals = connections[0].signals();
    }

    /** Leave the rank alone: nothing more is read for it or written to it. */
    void revoke()
    {
        for (final Connection connection : connections)
        {
            connection.close();
        }
    }

    /** Number of the connection; both ends must have the same. */
    int generation()
    {
        return generation;
    }

    /** Connect anew, with counts and signals that begin at zero at both ends. */
    void reconnect(final int next)
    {
        revoke();
        generation = next;
        Arrays.fill(uses, 0);
        Arrays.fill(releases, 0);
        for (final Connection connection : connections)
        {
            connection.reopen();
        }
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

    /** Whether all channels' signals of a kind show that a set was used so often. */
    boolean isSignalled(final int kind, final int set, final long count)
    {
        for (int channel = 0; channel < connections.length; channel++)
        {
            if ((value(kind, set, channel) & COUNT_MASK) < count)
            {
                return false;
            }
        }

        return true;
    }

    private long value(final int kind, final int set, final int channel)
    {
        return inSignals.getAcquire(slots.signal(generation, kind, set, rank, channel));
    }

    /** The latest generation in which the peer has dispatched, if it is beyond the one in use here; −1 if not. */
    int laterGeneration()
    {
        for (int later = Slots.GENERATIONS - 1; later > generation; later--)
        {
            for (int set = 0; set < Slots.SETS; set++)
            {
                if (inSignals.getAcquire(slots.signal(later, Slots.DISPATCHED, set, rank, 0)) > 0)
                {
                    return later;
                }
            }
        }

        return -1;
    }

    /** This rank releases a result of the set without a combine. */
    void release(final int set)
    {
        releases[set]++;
    }

    /** Whether the peer has released as many results of the set as this rank. */
    boolean isEquallyReleased(final int set)
    {
        return value(Slots.ANSWERED, set, 0) >>> COUNT_BITS == (releases[set] & RELEASES_MASK);
    }

    /** Tell the peer that this rank lives; false where the channel takes nothing now. */
    boolean giveSignOfLife()
    {
        return channel(0).atomicAdd(signals, ownSignal(Slots.ALIVE, 0, 0), 1) >= 0;
    }

    /** How often the peer told that it lives. */
    long signsOfLife()
    {
        return value(Slots.ALIVE, 0, 0);
    }

    /** The set is used once more by a dispatch of this rank and the peer's. */
    void use(final int set)
    {
        uses[set]++;
    }

    long uses(final int set)
    {
        return uses[set];
    }

    int ownSignal(final int kind, final int set, final int channel)
    {
        return slots.signal(generation, kind, set, ownRank, channel);
    }

    long remoteRow(final int set, final int localExpert, final int slot)
    {
        return slots.row(set, writer, writers, localExpert, slot);
    }

    long remoteAnswer(final int set, final int slot)
    {
        return slots.answer(set, writer, writers, slot);
    }

    long remoteMessage(final int set, final int channel)
    {
        return slots.message(set, writer, writers, channel);
    }

    long row(final int set, final int localExpert, final int slot)
    {
        return slots.row(set, inWriter, inWriters, localExpert, slot);
    }

    /** Where the answers of all of this stage's writers begin, of {@link Slots#answerStride} each. */
    long answers()
    {
        return slots.answer(0, 0, inWriters, 0);
    }

    /** Number of the first of this peer's answers among those. */
    int firstAnswer(final int set)
    {
        return (set * inWriters + inWriter) * slots.rowsPerPair();
    }

    int message(final int set, final int channel)
    {
        return (int)slots.message(set, inWriter, inWriters, channel);
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

    Channel channel(final int index)
    {
        return connections[index].channel();
    }

    RemoteRegion payload()
    {
        return payload;
    }

    /** The peer's payload itself, null where it is out of reach. */
    MemoryRegion window()
    {
        return payload.window();
    }

    RemoteRegion messages()
    {
        return messages;
    }

    RemoteSignals signals()
    {
        return signals;
    }
}
