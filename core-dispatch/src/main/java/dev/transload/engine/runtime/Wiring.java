/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.runtime;

import dev.transload.engine.Placement;
import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.connect.Connection;
import dev.transload.engine.connect.Memory;
import dev.transload.engine.connect.PeerMemories;
import dev.transload.engine.connect.Section;
import dev.transload.engine.connect.SignalMap;
import dev.transload.engine.normal.ArrivedSums;
import dev.transload.engine.normal.Board;
import dev.transload.engine.normal.CombineForwarder;
import dev.transload.engine.normal.CombineReceiver;
import dev.transload.engine.normal.CombineSender;
import dev.transload.engine.normal.Destination;
import dev.transload.engine.normal.DispatchLane;
import dev.transload.engine.normal.Forwarder;
import dev.transload.engine.normal.ForwarderCoordinator;
import dev.transload.engine.normal.Home;
import dev.transload.engine.normal.Packer;
import dev.transload.engine.normal.PartialSums;
import dev.transload.engine.normal.Receiver;
import dev.transload.engine.normal.ReturnedRows;
import dev.transload.engine.normal.Sender;
import dev.transload.engine.normal.SenderCoordinator;
import dev.transload.engine.normal.SubRing;
import dev.transload.engine.ring.Credit;
import dev.transload.engine.ring.CreditReturn;
import dev.transload.engine.ring.Staging;
import dev.transload.engine.world.Geometry;
import dev.transload.engine.world.Stage;
import java.util.ArrayList;
import java.util.List;

/** Makes the roles of all channels, ties them to links and credit, and deals them to threads. */
public final class Wiring
{
    private static final int SENDER = 0;
    private static final int SENDER_COORDINATOR = 1;
    private static final int FORWARDER = 2;
    private static final int FORWARDER_COORDINATOR = 3;
    private static final int RECEIVER = 4;

    private final Board board;
    private final Geometry geometry;
    private final Memory memory;
    private final CreditWiring credits;
    private final Threads threads;
    private final int nodes;
    private final int locals;
    private final int ownNode;
    private final int ownLocal;

    /**
     * Over the engine's parts.
     *
     * @param board    of the engine.
     * @param geometry sizes.
     * @param memory   of all rings.
     * @param credits  ends of credit.
     * @param threads  to deal roles to.
     */
    public Wiring(
        final Board board, final Geometry geometry, final Memory memory, final CreditWiring credits,
        final Threads threads)
    {
        this.board = board;
        this.geometry = geometry;
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
                geometry, map(), memory.signals(Stage.SCALE_UP), thread.worker(Stage.SCALE_UP)));
        }

        for (int channel = 0; channel < geometry.channels(); channel++)
        {
            final DispatchLane lane = new DispatchLane(geometry, channel);
            wireSenders(lane);
            wireForwarders(lane);
            wireReceivers(channel);
            wireCombine(channel);
        }
    }

    private void wireSenders(final DispatchLane lane)
    {
        final int channel = lane.channel();
        final int senders = geometry.config().sendersPerChannel();
        for (int index = 0; index < senders; index++)
        {
            final ProgressThread thread = threads.of(channel, SENDER, channel * senders + index);
            final Credit[] heads = new Credit[nodes];
            for (int node = 0; node < nodes; node++)
            {
                heads[node] = node == ownNode ? null : credits.credit(out(thread, channel, node),
                    SignalMap.dispatchHeadOut(geometry, channel, node),
                    SignalMap.dispatchHeadOut(geometry, channel, ownNode), index);
            }

            final Packer packer = geometry.config().alwaysPack() && !map().isStaged() ?
                new Packer(geometry, map(), lane, thread.kernels()) : null;
            thread.add(new Sender(board, geometry, map(), lane, heads, packer, index));
        }

        final ProgressThread thread = threads.of(channel, SENDER_COORDINATOR);
        final Destination[] destinations = new Destination[nodes];
        for (int node = 0; node < nodes; node++)
        {
            destinations[node] = node == ownNode ? null :
                new Destination(geometry, map(), lane, out(thread, channel, node), node, staging(thread, channel,
                Connection.Use.STAGING_OUT, SignalMap.dispatchStagedOut(geometry, channel, node), map().payloadOutOut));
        }

        thread.add(new SenderCoordinator(board, geometry, lane, destinations));
    }

    private void wireForwarders(final DispatchLane lane)
    {
        final int channel = lane.channel();
        final ProgressThread thread = threads.of(channel, FORWARDER);
        final Forwarder[] forwarders = new Forwarder[locals];
        for (int i = 0; i < locals; i++)
        {
            // First the rank for which the channel lists the rows of all, see Geometry.lister.
            final int local = (ownLocal + 1 + i + channel) % locals;
            final Connection link = up(thread, channel, local);
            forwarders[local] = new Forwarder(board, geometry, map(), lane, thread, memory.signals(Stage.SCALE_OUT),
                link, listing(thread, channel, local), credits.credit(link,
                SignalMap.dispatchHeadUp(geometry, channel, local),
                SignalMap.dispatchHeadUp(geometry, channel, ownLocal), 0), local);
            thread.add(forwarders[local]);
        }

        final ProgressThread coordinating = threads.of(channel, FORWARDER_COORDINATOR);
        final CreditReturn[] returns = new CreditReturn[nodes];
        for (int node = 0; node < nodes; node++)
        {
            returns[node] = node == ownNode ? null : credits.giveBack(out(coordinating, channel, node),
                SignalMap.dispatchHeadOut(geometry, channel, ownNode),
                SignalMap.dispatchHeadOut(geometry, channel, node));
        }

        coordinating.add(new ForwarderCoordinator(board, geometry, map(), lane, forwarders, returns));
    }

    /** Rows of all channels have a link of their own, where any are listed. */
    private Connection listing(final ProgressThread thread, final int channel, final int local)
    {
        final boolean isApart = 1 == nodes && Placement.DIRECT == geometry.config().placement() &&
            geometry.listsAll(channel, ownLocal, local);
        return isApart ? up(thread, channel, local, Connection.Use.LISTS) : up(thread, channel, local);
    }

    private void wireReceivers(final int channel)
    {
        final ProgressThread thread = threads.of(channel, RECEIVER);
        for (int forwarder = 0; forwarder < locals; forwarder++)
        {
            thread.add(new Receiver(board, geometry, map(), channel, forwarder, thread,
                memory.signals(Stage.SCALE_UP), credits.giveBack(up(thread, channel, forwarder),
                SignalMap.dispatchHeadUp(geometry, channel, ownLocal),
                SignalMap.dispatchHeadUp(geometry, channel, forwarder))));
        }
    }

    private void wireCombine(final int channel)
    {
        final ProgressThread sending = threads.of(channel, SENDER);
        for (int i = 0; i < locals; i++)
        {
            final int forwarder = (i + channel) % locals;
            final SubRing[] rings = new SubRing[nodes];
            for (int node = 0; node < nodes; node++)
            {
                final Connection link = up(sending, channel, forwarder);
                rings[node] = new SubRing(geometry, map(), sending, link, credits.credit(link,
                    SignalMap.combineHeadUp(geometry, channel, forwarder, node),
                    SignalMap.combineHeadUp(geometry, channel, ownLocal, node), 0), channel, forwarder, node);
            }

            sending.add(new CombineSender(board, rings));
        }

        final ProgressThread forwarding = threads.of(channel, FORWARDER);
        final List<Home> homes = new ArrayList<>();
        for (int node = 0; node < nodes; node++)
        {
            if (node != ownNode)
            {
                homes.add(home(channel, forwarding, node));
            }
        }

        forwarding.add(new CombineForwarder(board, channel, homes.toArray(new Home[0])));
        wireCombineReceiver(channel);
    }

    private ReturnedRows returned(final int channel, final ProgressThread thread, final int node)
    {
        final CreditReturn[] returns = new CreditReturn[locals];
        for (int local = 0; local < locals; local++)
        {
            returns[local] = credits.giveBack(up(thread, channel, local),
                SignalMap.combineHeadUp(geometry, channel, ownLocal, node),
                SignalMap.combineHeadUp(geometry, channel, local, node));
        }

        return new ReturnedRows(
            geometry, map(), thread, memory.signals(Stage.SCALE_UP), channel, node, returns);
    }

    private Home home(final int channel, final ProgressThread thread, final int node)
    {
        final Connection link = out(thread, channel, node);
        final Credit credit = credits.credit(link, SignalMap.combineHeadOut(geometry, channel, node),
            SignalMap.combineHeadOut(geometry, channel, ownNode), 0);
        final PartialSums outgoing = new PartialSums(geometry, map(), thread.kernels(), channel, node, link,
            staging(thread, channel, Connection.Use.STAGING_OUT, SignalMap.combineStagedOut(geometry, channel, node),
            map().wirePartialsOut));
        return new Home(geometry, thread, channel, node, returned(channel, thread, node), outgoing, credit);
    }

    private void wireCombineReceiver(final int channel)
    {
        final ProgressThread thread = threads.of(channel, RECEIVER);
        final ArrivedSums[] others = new ArrivedSums[nodes];
        for (int node = 0; node < nodes; node++)
        {
            others[node] = node == ownNode ? null : new ArrivedSums(geometry, map(), thread,
                memory.signals(Stage.SCALE_OUT), channel, node, credits.giveBack(out(thread, channel, node),
                SignalMap.combineHeadOut(geometry, channel, ownNode),
                SignalMap.combineHeadOut(geometry, channel, node)),
                staging(thread, channel, Connection.Use.STAGING_IN, SignalMap.combineStagedIn(geometry, channel, node),
                map().partialsOutIn));
        }

        thread.add(new CombineReceiver(
            board, geometry, map(), thread, channel, returned(channel, thread, ownNode), others));
    }

    /**
     * Null where nothing is staged. Each direction has a link of its own, for all nodes: a bus carries both at the same
     * time, and neither waits for rows that are handed on to the own rank.
     */
    private Staging staging(
        final ProgressThread thread, final int channel, final Connection.Use use, final int signal,
        final Section target)
    {
        return !map().isStaged() ? null : new Staging(up(thread, channel, ownLocal, use),
            memory.signals(Stage.SCALE_UP), signal, target, geometry.outRing());
    }

    private ArenaMap map()
    {
        return memory.map();
    }

    private Connection out(final ProgressThread thread, final int channel, final int node)
    {
        return thread.link(Stage.SCALE_OUT, channel, geometry.world().rankAt(node, ownLocal), Connection.Use.LANE);
    }

    private Connection up(final ProgressThread thread, final int channel, final int local)
    {
        return up(thread, channel, local, Connection.Use.LANE);
    }

    private Connection up(final ProgressThread thread, final int channel, final int local, final Connection.Use use)
    {
        return thread.link(Stage.SCALE_UP, channel, geometry.world().rankAt(ownNode, local), use);
    }
}
