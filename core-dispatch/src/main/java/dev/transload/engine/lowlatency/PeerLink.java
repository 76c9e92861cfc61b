/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.world.Stage;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.TransportException;
import dev.transload.spi.Worker;
import java.util.Arrays;

/**
 * The way to another rank: channels by the stage that reaches it, its memory and signals, and the counts by which the
 * signals of both directions are known. A generation is one connection; the next one has signals of its own.
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
    private final LowLatencyDirectory directory;
    private final SignalRegion inSignals;
    private final Stage inStage;
    private final int writer;
    private final int writers;
    private final int inWriter;
    private final int inWriters;
    private final Channel[] channels;
    private final long[] uses = new long[Slots.SETS];
    private final long[] releases = new long[Slots.SETS];
    private Worker worker;
    private RemoteRegion payload;
    private RemoteRegion messages;
    private RemoteSignals signals;
    private int generation;

    PeerLink(
        final int rank, final int ownRank, final Slots slots, final LowLatencyDirectory directory,
        final LowLatencyMemory memory)
    {
        this.rank = rank;
        this.ownRank = ownRank;
        this.slots = slots;
        this.directory = directory;
        this.stage = directory.stage(ownRank, rank);
        this.inStage = directory.stage(rank, ownRank);
        this.inSignals = memory.signals(inStage);
        this.writer = directory.writer(ownRank, rank);
        this.writers = directory.writers(stage, rank);
        this.inWriter = directory.writer(rank, ownRank);
        this.inWriters = directory.writers(inStage, ownRank);
        this.channels = new Channel[slots.channels()];
    }

    /** Import and connect, on the thread that drives the worker. */
    void open(final Worker owner)
    {
        worker = owner;
        payload = owner.importRegion(rank, directory.payload(rank, stage));
        messages = owner.importRegion(rank, directory.messages(rank, stage));
        signals = owner.importSignals(rank, directory.signals(rank, stage));
        connect();
    }

    private void connect()
    {
        for (int channel = 0; channel < channels.length; channel++)
        {
            channels[channel] = worker.connect(rank, directory.incarnation(rank), directory.worker(rank, stage));
        }
    }

    /** Leave the rank alone: nothing more is read for it or written to it. */
    void revoke()
    {
        for (final Channel channel : channels)
        {
            if (null != channel)
            {
                channel.close();
            }
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
        connect();
    }

    /** Have a channel's operations arrive; keeps the position to reach, true once it is reached or never will be. */
    boolean flush(final int channel, final long[] positions, final int index)
    {
        if (0 == positions[index])
        {
            positions[index] = Math.max(0, channels[channel].flush());
        }

        return 0 != positions[index] && channels[channel].deliveredPosition() >= positions[index];
    }

    /** Why a channel failed, null while none did. */
    TransportException failure()
    {
        for (final Channel channel : channels)
        {
            if (null != channel.failure())
            {
                return channel.failure();
            }
        }

        return null;
    }

    boolean isConnected()
    {
        for (final Channel channel : channels)
        {
            if (!channel.isConnected())
            {
                return false;
            }
        }

        return true;
    }

    /** Whether all channels' signals of a kind show that a set was used so often. */
    boolean isSignalled(final int kind, final int set, final long count)
    {
        for (int channel = 0; channel < channels.length; channel++)
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
        return channels[0].atomicAdd(signals, ownSignal(Slots.ALIVE, 0, 0), 1) >= 0;
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

    Channel channel(final int index)
    {
        return channels[index];
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
