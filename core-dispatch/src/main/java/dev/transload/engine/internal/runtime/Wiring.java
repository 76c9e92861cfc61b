/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.Memory;
import dev.transload.engine.internal.connect.PeerMemories;
import dev.transload.engine.internal.connect.Section;
import dev.transload.engine.internal.connect.SignalMap;
import dev.transload.engine.internal.normal.ChannelState;
import dev.transload.engine.internal.normal.CombineForwarder;
import dev.transload.engine.internal.normal.CombineReceiver;
import dev.transload.engine.internal.normal.CombineSender;
import dev.transload.engine.internal.normal.Forwarder;
import dev.transload.engine.internal.normal.ForwarderCoordinator;
import dev.transload.engine.internal.normal.IncomingRows;
import dev.transload.engine.internal.normal.IncomingStream;
import dev.transload.engine.internal.normal.IncomingSums;
import dev.transload.engine.internal.normal.NodeReturns;
import dev.transload.engine.internal.normal.NodeRows;
import dev.transload.engine.internal.normal.OutgoingBlocks;
import dev.transload.engine.internal.normal.OutgoingReturns;
import dev.transload.engine.internal.normal.OutgoingRows;
import dev.transload.engine.internal.normal.OutgoingSums;
import dev.transload.engine.internal.normal.Receiver;
import dev.transload.engine.internal.normal.RingCopies;
import dev.transload.engine.internal.normal.Sender;
import dev.transload.engine.internal.normal.SenderCoordinator;
import dev.transload.engine.internal.normal.StagedRows;
import dev.transload.engine.internal.ring.CreditReturn;
import dev.transload.engine.internal.ring.MetaTransfer;
import dev.transload.engine.internal.ring.PushedCredit;
import dev.transload.engine.internal.ring.PushingReturn;
import dev.transload.engine.internal.ring.RingReader;
import dev.transload.engine.internal.ring.RingWriter;
import dev.transload.engine.internal.ring.Staging;
import dev.transload.engine.internal.wire.MetadataBlock;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Relays;
import dev.transload.engine.internal.world.Stage;
import java.util.ArrayList;
import java.util.List;

/** Makes the roles of all channels, with their connections and credit, and assigns them to threads. */
public final class Wiring
{
    private static final int SENDER = 0;
    private static final int SENDER_COORDINATOR = 1;
    private static final int FORWARDER = 2;
    private static final int FORWARDER_COORDINATOR = 3;
    private static final int RECEIVER = 4;

    private final Geometry geometry;
    private final Relays relays;
    private final ArenaMap map;
    private final Memory memory;
    private final CreditWiring credits;
    private final Threads threads;
    private final int nodes;
    private final int locals;
    private final int ownNode;
    private final int ownLocal;

    public Wiring(
        final Geometry geometry, final ArenaMap map, final Memory memory, final CreditWiring credits,
        final Threads threads)
    {
        this.geometry = geometry;
        this.relays = geometry.relays();
        this.map = map;
        this.memory = memory;
        this.credits = credits;
        this.threads = threads;
        this.nodes = geometry.nodes();
        this.locals = geometry.locals();
        this.ownNode = geometry.world().node();
        this.ownLocal = geometry.world().local();
    }

    /** Make all roles. */
    void wire()
    {
        for (final ProgressThread thread : threads.all())
        {
            thread.reach(new PeerMemories(
                geometry, map, memory.signals(Stage.SCALE_UP), thread.worker(Stage.SCALE_UP)));
        }

        for (int channel = 0; channel < geometry.channels(); channel++)
        {
            final ChannelState state = new ChannelState(channel, nodes, relays.streams(channel, ownLocal));
            wireSender(state);
            wireSenderCoordinator(state);
            wireForwarders(state);
            wireReceiver(state);
            wireCombine(channel);
        }
    }

    private void wireSender(final ChannelState state)
    {
        final int channel = state.channel();
        final ProgressThread thread = threads.of(channel, SENDER);
        final List<OutgoingBlocks> blocks = new ArrayList<>();
        for (int node = 0; node < nodes; node++)
        {
            if (node == ownNode)
            {
                blocks.add(new OutgoingBlocks(geometry, state, node, map.blocksOwn,
                    (long)channel * MetadataBlock.SLOTS, 0, null, null));
            }
            else if (isOther(node))
            {
                final int stream = relays.ownStream(channel, node);
                final MetaTransfer transfer = new MetaTransfer(out(thread, channel, relay(channel, node)),
                    map.blocksOut, map.blocksIn, SignalMap.blocksOut(geometry, channel, stream));
                blocks.add(new OutgoingBlocks(geometry, state, node, map.blocksOut,
                    ((long)channel * nodes + node) * MetadataBlock.SLOTS,
                    (long)geometry.stream(channel, stream) * MetadataBlock.SLOTS, transfer, new PushedCredit(
                    memory.signals(Stage.SCALE_OUT), SignalMap.blockHeadOut(geometry, channel, node))));
            }
        }

        thread.add(new Sender(channel, blocks.toArray(new OutgoingBlocks[0])));
    }

    /** Whether rows go to a node of other ranks: one without present ranks gets none. */
    private boolean isOther(final int node)
    {
        return node != ownNode && geometry.world().hasRanks(node);
    }

    private int relay(final int channel, final int node)
    {
        return relays.relay(geometry.world().rank(), node, channel);
    }

    private void wireSenderCoordinator(final ChannelState state)
    {
        final int channel = state.channel();
        final ProgressThread thread = threads.of(channel, SENDER_COORDINATOR);
        final List<OutgoingRows> rows = new ArrayList<>();
        for (int node = 0; node < nodes; node++)
        {
            if (isOther(node))
            {
                final int stream = relays.ownStream(channel, node);
                final Connection connection = out(thread, channel, relay(channel, node));
                rows.add(new OutgoingRows(geometry, map, state, connection, node, stream,
                    SignalMap.rowsOut(geometry, channel, stream), new RingWriter(credits.credit(connection,
                    SignalMap.rowHeadOut(geometry, channel, node), SignalMap.rowsOut(geometry, channel, stream)),
                    geometry.outRing()), stagedRows(thread, connection, channel, node)));
            }
        }

        thread.add(new SenderCoordinator(channel, rows.toArray(new OutgoingRows[0])));
    }

    private void wireForwarders(final ChannelState state)
    {
        final int channel = state.channel();
        final ProgressThread thread = threads.of(channel, FORWARDER);
        final int count = relays.streams(channel, ownLocal);
        final Connection[] connections = new Connection[locals];
        final RingWriter[][] writers = new RingWriter[locals][count];
        for (int local = 0; local < locals; local++)
        {
            connections[local] = up(thread, channel, local, Connection.Use.GENERAL);
            for (int stream = 0; stream < count; stream++)
            {
                writers[local][stream] = new RingWriter(credits.credit(connections[local],
                    SignalMap.rowHeadUp(geometry, channel, local, stream),
                    SignalMap.rowHeadUp(geometry, channel, ownLocal, stream)), geometry.subRing());
            }
        }

        final IncomingStream[] streams = new IncomingStream[count];
        for (int stream = 0; stream < count; stream++)
        {
            streams[stream] = new IncomingStream(geometry, map, state, thread, memory.signals(Stage.SCALE_OUT),
                stream, handing(connections, channel, stream),
                relays.source(channel, ownLocal, stream) == geometry.world().rank() ? null : staging(thread, channel,
                Connection.Use.STAGING_IN, SignalMap.stagedIn(geometry, channel, stream), map.wirePayloadIn,
                map.payloadIn, geometry.stream(channel, stream)));
        }

        final Forwarder forwarder =
            new Forwarder(streams, new NodeRows(geometry, map, state, thread, connections, writers));
        thread.add(forwarder);
        wireForwarderCoordinator(state, forwarder);
    }

    private MetaTransfer[] handing(final Connection[] connections, final int channel, final int stream)
    {
        final boolean isOwn = relays.source(channel, ownLocal, stream) == geometry.world().rank();
        final MetaTransfer[] handing = new MetaTransfer[locals];
        for (int local = 0; local < locals; local++)
        {
            handing[local] = local == ownLocal || geometry.isAbsent(local) ? null : new MetaTransfer(connections[local],
                isOwn ? map.blocksOwn : map.blocksIn, map.blocksUpIn,
                SignalMap.blocksUp(geometry, channel, ownLocal, stream));
        }

        return handing;
    }

    private void wireForwarderCoordinator(final ChannelState state, final Forwarder forwarder)
    {
        final int channel = state.channel();
        final ProgressThread thread = threads.of(channel, FORWARDER_COORDINATOR);
        final int count = relays.streams(channel, ownLocal);
        final RingReader[] rings = new RingReader[count];
        final CreditReturn[] blocks = new CreditReturn[count];
        final int[][] heads = new int[count][locals];
        for (int stream = 0; stream < count; stream++)
        {
            for (int local = 0; local < locals; local++)
            {
                heads[stream][local] = local == ownLocal || geometry.isAbsent(local) ? -1 :
                    SignalMap.blockHeadUp(geometry, channel, local, stream);
            }

            final int source = relays.source(channel, ownLocal, stream);
            if (source != geometry.world().rank())
            {
                final Connection connection = out(thread, channel, source);
                rings[stream] = new RingReader(credits.giveBack(connection,
                    SignalMap.rowHeadOut(geometry, channel, ownNode), SignalMap.rowsOut(geometry, channel, stream)),
                    geometry.outRing());
                blocks[stream] = new PushingReturn(connection, SignalMap.blockHeadOut(geometry, channel, ownNode), 1);
            }
        }

        thread.add(new ForwarderCoordinator(state, forwarder, memory.signals(Stage.SCALE_UP), rings, blocks, heads,
            geometry.world().first(ownNode)));
    }

    private void wireReceiver(final ChannelState state)
    {
        final int channel = state.channel();
        final ProgressThread thread = threads.of(channel, RECEIVER);
        final List<IncomingRows> rows = new ArrayList<>();
        for (int local = 0; local < locals; local++)
        {
            final Connection connection = up(thread, channel, local, Connection.Use.GENERAL);
            for (int stream = 0; stream < relays.streams(channel, local); stream++)
            {
                rows.add(new IncomingRows(geometry, map, state, thread, memory.signals(Stage.SCALE_UP), connection,
                    local, stream, local == ownLocal ? null :
                    new PushingReturn(connection, SignalMap.blockHeadUp(geometry, channel, ownLocal, stream), 1),
                    new RingReader(credits.giveBack(connection,
                    SignalMap.rowHeadUp(geometry, channel, ownLocal, stream),
                    SignalMap.rowHeadUp(geometry, channel, local, stream)), geometry.subRing())));
            }
        }

        thread.add(new Receiver(rows.toArray(new IncomingRows[0]), new RingCopies(thread.kernels(),
            Math.multiplyExact(geometry.config().scaleUp().chunk(), geometry.config().maxTopk()))));
    }

    private void wireCombine(final int channel)
    {
        final ProgressThread sending = threads.of(channel, SENDER);
        final List<OutgoingReturns> returns = new ArrayList<>();
        for (int i = 0; i < locals; i++)
        {
            final int local = (i + channel) % locals;
            final Connection connection = up(sending, channel, local, Connection.Use.GENERAL);
            for (int stream = 0; stream < relays.streams(channel, local); stream++)
            {
                returns.add(new OutgoingReturns(geometry, map, sending, connection, channel, local, stream,
                    SignalMap.returnsUp(geometry, channel, ownLocal, stream), new RingWriter(credits.credit(connection,
                    SignalMap.returnHeadUp(geometry, channel, local, stream),
                    SignalMap.returnHeadUp(geometry, channel, ownLocal, stream)), geometry.subRing())));
            }
        }

        sending.add(new CombineSender(0, returns.toArray(new OutgoingReturns[0])));
        wireCombineForwarder(channel);
        wireCombineReceiver(channel);
    }

    private void wireCombineForwarder(final int channel)
    {
        final ProgressThread thread = threads.of(channel, FORWARDER);
        final List<OutgoingSums> sums = new ArrayList<>();
        for (int stream = 0; stream < relays.streams(channel, ownLocal); stream++)
        {
            final int home = relays.source(channel, ownLocal, stream);
            if (home != geometry.world().rank())
            {
                final Connection connection = out(thread, channel, home);
                sums.add(new OutgoingSums(geometry, map, thread, returns(channel, thread, stream), connection,
                    channel, stream, SignalMap.sumsOut(geometry, channel, ownNode), new RingWriter(credits.credit(
                    connection, SignalMap.sumHeadOut(geometry, channel, stream),
                    SignalMap.sumsOut(geometry, channel, ownNode)),
                    geometry.outRing()), staging(thread, channel, Connection.Use.STAGING_OUT,
                    SignalMap.stagedSumsOut(geometry, channel, stream), map.partialsOut, map.wirePartialsOut,
                    geometry.stream(channel, stream))));
            }
        }

        thread.add(new CombineForwarder(channel, sums.toArray(new OutgoingSums[0])));
    }

    private NodeReturns returns(final int channel, final ProgressThread thread, final int stream)
    {
        final RingReader[] readers = new RingReader[locals];
        for (int local = 0; local < locals; local++)
        {
            readers[local] = new RingReader(credits.giveBack(up(thread, channel, local, Connection.Use.GENERAL),
                SignalMap.returnHeadUp(geometry, channel, ownLocal, stream),
                SignalMap.returnHeadUp(geometry, channel, local, stream)), geometry.subRing());
        }

        return new NodeReturns(geometry, map, thread, memory.signals(Stage.SCALE_UP), channel, stream, readers);
    }

    private void wireCombineReceiver(final int channel)
    {
        final ProgressThread thread = threads.of(channel, RECEIVER);
        final IncomingSums[] others = new IncomingSums[nodes];
        for (int node = 0; node < nodes; node++)
        {
            if (isOther(node))
            {
                final Connection connection = out(thread, channel, relay(channel, node));
                others[node] = new IncomingSums(geometry, map, thread, memory.signals(Stage.SCALE_OUT), channel, node,
                    new RingReader(credits.giveBack(connection,
                    SignalMap.sumHeadOut(geometry, channel, relays.ownStream(channel, node)),
                    SignalMap.sumsOut(geometry, channel, node)), geometry.outRing()),
                    staging(thread, channel, Connection.Use.STAGING_IN, SignalMap.stagedSumsIn(geometry, channel, node),
                    map.wirePartialsIn, map.partialsIn, channel * nodes + node));
            }
        }

        thread.add(new CombineReceiver(geometry, thread, channel,
            returns(channel, thread, relays.ownStream(channel, ownNode)), others));
    }

    /**
     * Null where nothing is staged. Each direction has a connection of its own, for all nodes: a bus carries both at
     * the same time, and neither waits for rows within the node.
     */
    private Staging staging(
        final ProgressThread thread, final int channel, final Connection.Use use, final int signal,
        final Section source, final Section target, final int ring)
    {
        final long first = (long)ring * geometry.outRing();
        return !map.isStaged() ? null : new Staging(up(thread, channel, ownLocal, use),
            memory.signals(Stage.SCALE_UP), signal, source, first, target, first, geometry.outRing());
    }

    private StagedRows stagedRows(
        final ProgressThread thread, final Connection connection, final int channel, final int node)
    {
        return !map.isStaged() ? null : new StagedRows(geometry, map, thread, staging(thread, channel,
            Connection.Use.STAGING_OUT, SignalMap.stagedOut(geometry, channel, node), map.payloadPacked,
            map.payloadOut, channel * nodes + node), connection, channel, node);
    }

    private static Connection out(final ProgressThread thread, final int channel, final int rank)
    {
        return thread.connection(Stage.SCALE_OUT, channel, rank, Connection.Use.GENERAL);
    }

    /** The own rank takes the place of an absent one, to which no rows go. */
    private Connection up(final ProgressThread thread, final int channel, final int local, final Connection.Use use)
    {
        return thread.connection(Stage.SCALE_UP, channel,
            geometry.world().rankAt(ownNode, geometry.isAbsent(local) ? ownLocal : local), use);
    }
}
