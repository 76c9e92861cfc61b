/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.PeerMemory;
import dev.transload.engine.internal.connect.SignalMap;
import dev.transload.engine.internal.connect.ThreadResources;
import dev.transload.engine.internal.ring.RingWriter;
import dev.transload.engine.internal.ring.RowPuts;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;

/**
 * A channel's rows on their way from the relay to the ranks of the node, a chunk of a stream at a time. Where the
 * outputs of all ranks are mapped, row kernels read a row once and write it to all its places. Else each rank's rows
 * are put, to their places where its output can be reached, or into its ring.
 */
public final class NodeRows
{
    private static final int HOST_CHUNK_BYTES = 1 << 20;

    private final Geometry geometry;
    private final ArenaMap map;
    private final ChannelState state;
    private final ThreadResources thread;
    private final Connection[] connections;
    private final RingWriter[][] writers;
    private final RowPuts[] puts;
    private final int[] picked;
    private final int[] counts;
    private final RowScatter scatter;
    /** Streams whose rows are all submitted, in that order: ranks are told when row kernels have written them. */
    private final IncomingStream[] telling;
    private final long[] writtenAt;
    private int firstTelling;
    private int tellings;
    private int told;
    private long position;
    private DispatchCall call;
    private boolean isOpen;
    private boolean isScattering;

    /**
     * Of a channel.
     *
     * @param writers of their rings, by local rank and stream.
     */
    public NodeRows(
        final Geometry geometry, final ArenaMap map, final ChannelState state, final ThreadResources thread,
        final Connection[] connections, final RingWriter[][] writers)
    {
        this.geometry = geometry;
        this.map = map;
        this.state = state;
        this.thread = thread;
        this.connections = connections;
        this.writers = writers;
        this.puts = new RowPuts[connections.length];
        this.picked = new int[connections.length];
        this.counts = new int[connections.length];
        this.scatter = new RowScatter(connections.length);
        this.telling = new IncomingStream[writers[0].length];
        this.writtenAt = new long[telling.length];
    }

    void begin(final DispatchCall next)
    {
        call = next;
        isOpen = false;
        firstTelling = 0;
        tellings = 0;
        told = 0;
        for (final RingWriter[] ofRank : writers)
        {
            for (final RingWriter writer : ofRank)
            {
                writer.begin();
            }
        }

        for (int local = 0; local < puts.length; local++)
        {
            if (null == puts[local])
            {
                puts[local] = new RowPuts(connections[local], capacity());
            }
        }
    }

    /** Each row of a chunk may have a place for each of its selected experts. */
    private int capacity()
    {
        return Math.multiplyExact(2 * chunk(), geometry.config().maxTopk());
    }

    private int chunk()
    {
        return geometry.config().scaleUp().chunk();
    }

    /** Whether all ranks have said what they expose: rows can go, and be placed. */
    boolean isOpen()
    {
        if (isOpen)
        {
            return true;
        }

        for (int local = 0; local < connections.length; local++)
        {
            if (!thread.peerMemories().isKnown(local, call.number(), call.tag(), call.form(geometry)))
            {
                return false;
            }
        }

        isOpen = true;
        isScattering = areMapped();
        if (!isScattering)
        {
            openPuts();
        }

        return true;
    }

    private boolean areMapped()
    {
        for (int local = 0; local < connections.length; local++)
        {
            final PeerMemory peer = thread.peerMemories().of(local);
            if (!peer.isOpen() || null == peer.memory(0).window() ||
                call.scaleBytes() > 0 && null == peer.memory(1).window())
            {
                return false;
            }
        }

        for (int local = 0; local < connections.length; local++)
        {
            final PeerMemory peer = thread.peerMemories().of(local);
            scatter.target(local, peer.window(0), peer.offset(0), call.rowBytes());
            scatter.scalesTarget(local, 0 == call.scaleBytes() ? null : peer.window(1), peer.offset(1),
                call.scaleBytes());
        }

        scatter.finalPlaces(true);
        return true;
    }

    private void openPuts()
    {
        for (int local = 0; local < connections.length; local++)
        {
            puts[local].finalPlaces(thread.peerMemories().of(local).isOpen());
        }
    }

    /** Whether the next chunk can begin. */
    boolean isIdle()
    {
        for (int local = 0; !isScattering && local < puts.length; local++)
        {
            if (puts[local].isActive())
            {
                return false;
            }
        }

        return true;
    }

    /**
     * Begin a chunk.
     *
     * @return rows taken, 0 to retry later.
     */
    int send(final IncomingStream stream, final int most)
    {
        return isScattering ? scatter(stream, most) : put(stream, Math.min(most, chunk()));
    }

    private int scatter(final IncomingStream stream, final int most)
    {
        final int from = stream.forwarded();
        final int count = Math.min(most, thread.kernels().kind().isHost() ? hostRows() : most);
        final int scaleBytes = call.scaleBytes();
        scatter.source(stream.region(false), stream.base(false), stream.stride(false), call.rowBytes());
        scatter.scales(0 == scaleBytes ? null : stream.region(true), 0 == scaleBytes ? 0 : stream.base(true),
            0 == scaleBytes ? 0 : stream.stride(true), scaleBytes);
        for (int local = 0; local < connections.length; local++)
        {
            scatter.copies(local, stream.table().placesOf(local));
        }

        final long submitted = thread.kernels().scatterRows(
            scatter, stream.table().table(from), stream.table().index(from), count);
        if (submitted < 0)
        {
            return 0;
        }

        stream.forward(count, submitted);
        for (int local = 0; local < connections.length; local++)
        {
            stream.reads(local, submitted);
        }

        if (from + count == stream.rows())
        {
            tell(stream, submitted);
        }

        return count;
    }

    /** Copied while the caller of the kernels waits: other roles of the thread have their turn in between. */
    private int hostRows()
    {
        return Math.max(1, HOST_CHUNK_BYTES / call.rowBytes());
    }

    /** All rows of a stream are on their way: each rank is to be told of those that are its own. */
    private void tell(final IncomingStream stream, final long submitted)
    {
        final int last = (firstTelling + tellings++) % telling.length;
        telling[last] = stream;
        writtenAt[last] = submitted;
        position = submitted;
        advanceTelling();
    }

    private int advanceTelling()
    {
        int work = 0;
        while (tellings > 0 && tellOne(telling[firstTelling], writtenAt[firstTelling]))
        {
            work++;
        }

        return work;
    }

    private boolean tellOne(final IncomingStream stream, final long written)
    {
        if (told == connections.length)
        {
            told = 0;
            tellings--;
            firstTelling = (firstTelling + 1) % telling.length;
            return true;
        }

        // The own rank comes last: it needs nobody else.
        final int local = (geometry.world().local() + 1 + told) % connections.length;
        final int rows = stream.table().rowsTo(local);
        if (rows > 0)
        {
            final RingWriter writer = writers[local][stream.stream()];
            if (0 == writer.filled())
            {
                writer.fill(rows);
            }

            if (!puts[local].signalAfter(thread.kernels(), written,
                SignalMap.rowsUp(geometry, state.channel(), geometry.world().local(), stream.stream()), writer, rows,
                (long)stream.table().placesOf(local) * (call.rowBytes() + call.scaleBytes())))
            {
                return false;
            }
        }

        told++;
        return true;
    }

    private int put(final IncomingStream stream, final int most)
    {
        for (int local = 0; local < puts.length; local++)
        {
            counts[local] = room(stream, local, most);
            picked[local] = 0;
            use(stream, local);
        }

        int count = 0;
        while (count < most && fits(stream, stream.forwarded() + count))
        {
            pick(stream, stream.forwarded() + count);
            count++;
        }

        if (0 == count)
        {
            return 0;
        }

        stream.forward(count, 0);
        for (int local = 0; local < puts.length; local++)
        {
            if (picked[local] > 0)
            {
                final RingWriter writer = writers[local][stream.stream()];
                writer.fill(picked[local]);
                puts[local].send(SignalMap.rowsUp(geometry, state.channel(), geometry.world().local(),
                    stream.stream()), writer.tell(), picked[local]);
                puts[local].advance();
            }

            stream.reads(local, puts[local].added());
        }

        return count;
    }

    /** Rows of a stream that a rank has room for now. */
    private int room(final IncomingStream stream, final int local, final int most)
    {
        final int perRow = call.plan().isExpanded() && thread.peerMemories().of(local).isOpen() ?
            call.plan().sendLayout().topk() : 1;
        final int entries = puts[local].room() / perRow;
        return Math.min(entries, thread.peerMemories().of(local).isOpen() ? most :
            writers[local][stream.stream()].room(most));
    }

    private void use(final IncomingStream stream, final int local)
    {
        final PeerMemory peer = thread.peerMemories().of(local);
        final boolean isDirect = peer.isOpen();
        puts[local].use(RowPuts.ROWS, stream.region(false),
            isDirect ? peer.memory(0) : connections[local].remote(map.payloadUpIn), call.rowBytes());
        puts[local].use(RowPuts.EXTRAS, 0 == call.scaleBytes() ? null : stream.region(true),
            isDirect ? peer.memory(1) : connections[local].remote(map.payloadUpIn), call.scaleBytes());
    }

    private boolean fits(final IncomingStream stream, final int row)
    {
        for (int word = 0; word < geometry.maskWords(); word++)
        {
            for (long bits = stream.table().mask(row, word); 0 != bits; bits &= bits - 1)
            {
                final int local = word * Long.SIZE + Long.numberOfTrailingZeros(bits);
                if (picked[local] == counts[local])
                {
                    return false;
                }
            }
        }

        return true;
    }

    private void pick(final IncomingStream stream, final int row)
    {
        final RowTable table = stream.table().table(row);
        final int index = stream.table().index(row);
        final long from = stream.base(false) + table.row(index) * stream.stride(false);
        final long scales = 0 == call.scaleBytes() ? 0 : stream.base(true) + table.row(index) * stream.stride(true);
        for (int word = 0; word < geometry.maskWords(); word++)
        {
            for (long bits = stream.table().mask(row, word); 0 != bits; bits &= bits - 1)
            {
                final int local = word * Long.SIZE + Long.numberOfTrailingZeros(bits);
                if (!thread.peerMemories().of(local).isOpen())
                {
                    addToRing(stream, local, from, scales);
                }

                picked[local]++;
            }
        }

        for (int entry = table.firstEntry(index), end = table.firstEntry(index + 1); entry < end; entry++)
        {
            final int local = table.region(entry);
            final PeerMemory peer = thread.peerMemories().of(local);
            if (peer.isOpen())
            {
                puts[local].add(from, peer.offset(0) + (long)table.entryRow(entry) * call.rowBytes());
                if (call.scaleBytes() > 0)
                {
                    puts[local].addExtras(
                        scales, peer.offset(1) + (long)table.entryRow(entry) * call.scaleBytes());
                }
            }
        }
    }

    private void addToRing(final IncomingStream stream, final int local, final long from, final long scales)
    {
        final RingWriter writer = writers[local][stream.stream()];
        final long slot = (long)geometry.streamUp(state.channel(), geometry.world().local(), stream.stream()) *
            geometry.subRing() + writer.slot(writer.filled() + picked[local]);
        final long to = map.payloadUpIn.offset(slot);
        puts[local].add(from, to);
        if (call.scaleBytes() > 0)
        {
            puts[local].addExtras(scales, to + call.rowBytes());
        }
    }

    int advance()
    {
        int work = advanceTelling();
        for (int local = 0; !isScattering && local < puts.length; local++)
        {
            work += puts[local].advance();
        }

        return work;
    }

    /** Have a stream tell which of its rows nothing reads any more. */
    int settle(final IncomingStream stream)
    {
        int free = Integer.MAX_VALUE;
        for (int local = 0; local < puts.length; local++)
        {
            free = Math.min(free, stream.settle(
                local, isScattering ? thread.kernels().completedPosition() : puts[local].released()));
        }

        return stream.publish(free);
    }

    boolean isComplete()
    {
        if (tellings > 0)
        {
            return false;
        }

        for (final RowPuts one : puts)
        {
            if (!one.isComplete())
            {
                return false;
            }
        }

        return true;
    }

    /** Report a rank that has not said where its rows go. */
    boolean isWaitingForClearToSend(final Wait wait)
    {
        for (int local = 0; !isOpen && local < connections.length; local++)
        {
            if (!thread.peerMemories().isKnown(local, call.number(), call.tag(), call.form(geometry)))
            {
                return thread.peerMemories().isWaiting(wait, local, state.channel(), call.number());
            }
        }

        return false;
    }

    /** Report a rank that has no room for the next row of a stream. */
    boolean isWaitingForCredit(final Wait wait, final IncomingStream stream)
    {
        final int row = stream.forwarded();
        for (int local = 0; isOpen && !isScattering && row < stream.rows() && local < connections.length; local++)
        {
            final RingWriter writer = writers[local][stream.stream()];
            final boolean isHere =
                0 != (stream.table().mask(row, local >> 6) & 1L << (local & 63));
            if (isHere && !thread.peerMemories().of(local).isOpen() && writer.needed() > writer.head())
            {
                return wait.set(connections[local].peer(), state.channel(), WaitCounter.SCALE_UP_HEAD, writer.needed(),
                    writer.head());
            }
        }

        return false;
    }

    /** Report operations that are not done. */
    boolean isWaiting(final Wait wait)
    {
        for (final RowPuts one : puts)
        {
            if (one.isWaiting(wait))
            {
                return true;
            }
        }

        return thread.kernels().completedPosition() < position && wait.set(geometry.world().rank(), state.channel(),
            WaitCounter.KERNELS, position, thread.kernels().completedPosition());
    }
}
