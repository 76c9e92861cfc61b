/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import dev.transload.rendezvous.WorldBoard;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** One process in the JGroups group: connects, passes what arrives to the forming or to the formed world, leaves. */
final class Group implements Receiver
{
    private static final Logger LOGGER = LoggerFactory.getLogger(Group.class);
    private static final String CLUSTER = "transload";

    /** How long a leaving process waits for others to have got what it sent; they answer at once unless they hang. */
    private static final long FAREWELL_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(2);

    /** How long the occupant of a taken port has to say who he is; another program never does. */
    private static final long OCCUPANT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(3);

    private final JGroupsRendezvousConfig config;
    private final Claim claim;
    private final Address address = UUID.randomUUID();
    private final long deadlineNs;
    private final ExecutorService control = Executors.newSingleThreadExecutor(Group::newControlThread);
    private final AtomicBoolean left = new AtomicBoolean();
    private final Formation formation;
    private final Object lock = new Object();
    private final List<Message> early = new ArrayList<>();
    private final Map<Address, Integer> rankOf = new HashMap<>();
    private final Set<Integer> farewells = new HashSet<>();
    private SeedDiscovery discovery;
    private JChannel channel;
    private WorldBoard board;

    Group(final JGroupsRendezvousConfig config, final Claim claim)
    {
        this.config = config;
        this.claim = claim;
        deadlineNs = System.nanoTime() + config.timeout().toNanos();
        formation = new Formation(claim, this::sendControl);
    }

    /** Joins, and waits for the world to form. */
    WorldBoard form()
    {
        connect();
        sendControl(channel.getView().getCoord(), Envelope.hello(claim));
        formation.await(deadlineNs, config.timeout().toMillis());
        synchronized (lock)
        {
            return board;
        }
    }

    /** Who finds his port taken comes by another one, to ask the occupant who he is. */
    private void connect()
    {
        final InetSocketAddress bind = Binding.addressFor(config, config.addresses(), deadlineNs);
        final GroupKey key = config.secret().map(GroupKey::deriveFrom).orElse(null);
        try
        {
            connect(bind, ownDoor(), key);
        }
        catch (final BindException ex)
        {
            LOGGER.debug("{} cannot listen on {}", claim.member().describe(), bind, ex);
            final InetSocketAddress anyPort = new InetSocketAddress(bind.getAddress(), 0);
            try
            {
                connect(anyPort, occupantsDoor(bind), key);
            }
            catch (final BindException hostIsWrong)
            {
                throw new RendezvousException(Reason.ADDRESS_UNAVAILABLE, bind.getAddress().getHostAddress() +
                    " cannot be listened on by " + claim.member().describe() + ": " + hostIsWrong.getMessage() +
                    "; set " + JGroupsRendezvousConfig.PATH + ".bind to an address of this host", hostIsWrong);
            }
        }
    }

    private void connect(final InetSocketAddress bind, final SeedDiscovery.Door door, final GroupKey key)
        throws BindException
    {
        try
        {
            channel = ChannelStack.open(bind, () -> newDiscovery(key, door), key, config.failureTimeout(), address,
                claim.member().describe());
            channel.setReceiver(this);
            SeedProbe.awaitListener(door);
            channel.connect(CLUSTER);
        }
        catch (final Exception ex)
        {
            if (channel != null)
            {
                ChannelStack.close(channel);
            }
            throw translate(ex);
        }
    }

    private SeedDiscovery newDiscovery(final GroupKey key, final SeedDiscovery.Door door)
    {
        discovery = new SeedDiscovery(claim, key, door);
        return discovery;
    }

    private SeedDiscovery.Door ownDoor()
    {
        final AddressList addresses = config.addresses();
        return new SeedDiscovery.Door(claim.rank() == 0, () -> addresses.resolve(0), false,
            addresses.ofRank(0).toString(), deadlineNs, formation::onRival);
    }

    private SeedDiscovery.Door occupantsDoor(final InetSocketAddress occupant)
    {
        return new SeedDiscovery.Door(false, () -> List.of(occupant), true,
            config.addresses().ofRank(claim.rank()) + ", the address of " + claim.member().describe() + ",",
            Math.min(deadlineNs, System.nanoTime() + OCCUPANT_TIMEOUT_NS), formation::onRival);
    }

    private RendezvousException translate(final Exception ex) throws BindException
    {
        for (Throwable cause = ex; cause != null; cause = cause.getCause())
        {
            if (cause instanceof RendezvousException ours)
            {
                return ours;
            }
            if (cause instanceof BindException taken)
            {
                throw taken;
            }
            if (cause instanceof SecurityException)
            {
                return new RendezvousException(Reason.REFUSED, claim.member().describe() + " was refused: " +
                    cause.getMessage() + "; set " + JGroupsRendezvousConfig.PATH +
                    ".secret to the same text on all ranks", ex);
            }
        }
        return new RendezvousException(Reason.ADDRESS_UNAVAILABLE, claim.member().describe() +
            " could not join the others at " + config.addresses() + ": " + ex.getMessage(), ex);
    }

    @Override
    public void viewAccepted(final View view)
    {
        LOGGER.debug("{} sees {} of {} processes", claim.member().describe(), view.size(), config.worldSize());
        formation.onView(view.getMembers());
        synchronized (lock)
        {
            reportLost(view.getMembers());
            lock.notifyAll();
        }
    }

    @Override
    public void receive(final Message message)
    {
        try
        {
            final DataInputStream in = Envelope.open(message.getArray(), message.getOffset(), message.getLength());
            final Envelope.Kind kind = Envelope.readKind(in);
            LOGGER.debug("{} got {} from {}", claim.member().describe(), kind, message.getSrc());
            if (kind.compareTo(Envelope.Kind.CONTRIBUTION) < 0)
            {
                whileForming(kind, message.getSrc(), in);
            }
            else
            {
                whenFormed(kind, message, in);
            }
        }
        catch (final IOException ex)
        {
            LOGGER.warn("A malformed message from {} was dropped: {}", message.getSrc(), ex.getMessage());
        }
    }

    private void whileForming(final Envelope.Kind kind, final Address from, final DataInputStream in)
        throws IOException
    {
        switch (kind)
        {
            case HELLO -> formation.onHello(from, Claim.readFrom(in));
            case ASK -> formation.onAsk(from);
            case PRESENT -> formation.onPresent(Envelope.readPresent(in));
            case ROSTER -> formation.onRoster(in.readInt(), Envelope.readRoster(in));
            case READY -> formation.onReady(from, in.readInt());
            case COMPLAINT -> formation.onComplaint(Envelope.readTrouble(in));
            case FAILED -> formation.onFailed(Envelope.readTrouble(in));
            case FORMED -> formed(in.readInt());
            default -> throw new IOException("message kind " + kind + " has no place in the forming of a world");
        }
    }

    /** The board is complete before any waiter hears that the world is formed. */
    private void formed(final int attempt) throws IOException
    {
        synchronized (lock)
        {
            final List<Envelope.Entry> roster = formation.rosterOf(attempt);
            if (board != null || roster.isEmpty())
            {
                return;
            }
            final List<Member> members = roster.stream().map(entry -> entry.claim().member()).toList();
            roster.forEach(entry -> rankOf.put(entry.address(), entry.claim().rank()));
            board = new WorldBoard(claim.rank(), members);
            for (final Message message : early)
            {
                receive(message);
            }
            early.clear();
            reportLost(formation.view());
            formation.onFormed(attempt);
        }
    }

    private void whenFormed(final Envelope.Kind kind, final Message message, final DataInputStream in)
        throws IOException
    {
        synchronized (lock)
        {
            if (board == null)
            {
                early.add(message);
                return;
            }
            final Integer rank = rankOf.get(message.getSrc());
            if (rank == null || rank == claim.rank())
            {
                return;
            }
            switch (kind)
            {
                case CONTRIBUTION -> board.contributed(rank, in.readUTF(), in.readAllBytes());
                case ANNOUNCEMENT -> board.announced(rank, in.readAllBytes());
                case GOODBYE ->
                {
                    board.departed(rank);
                    sendControl(message.getSrc(), Envelope.bare(Envelope.Kind.FAREWELL));
                }
                case FAREWELL -> farewells.add(rank);
                default -> throw new IOException("message kind " + kind + " has no place in a formed world");
            }
            lock.notifyAll();
        }
    }

    private void reportLost(final List<Address> view)
    {
        if (board == null || left.get())
        {
            return;
        }
        rankOf.forEach((member, rank) ->
        {
            if (!view.contains(member))
            {
                board.lost(rank, discovery.wasReset(member) ?
                    "its connection was reset and it did not answer any more" :
                    "it sent no sign of life for " + config.failureTimeout().toMillis() + " ms");
            }
        });
    }

    /**
     * Sends to all ranks but this, to each by itself: such messages are sent again until they are acknowledged, where
     * the last multicast before a silence may stay lost for a minute. May block while receivers are slow.
     */
    void sendToOthers(final byte[] bytes)
    {
        final List<Address> present = formation.view();
        for (final Map.Entry<Address, Integer> member : rankOf.entrySet())
        {
            if (member.getValue() != claim.rank() && present.contains(member.getKey()))
            {
                send(member.getKey(), bytes);
            }
        }
    }

    private void sendControl(final Address to, final byte[] bytes)
    {
        try
        {
            control.execute(() -> send(to, bytes));
        }
        catch (final RejectedExecutionException ex)
        {
            LOGGER.debug("A control message was dropped because {} leaves", claim.member().describe(), ex);
        }
    }

    private void send(final Address to, final byte[] bytes)
    {
        try
        {
            channel.send(new BytesMessage(to, bytes));
        }
        catch (final Exception ex)
        {
            if (left.get())
            {
                LOGGER.debug("A message was dropped because {} leaves", claim.member().describe(), ex);
                return;
            }
            throw new RendezvousException(Reason.CLOSED, "a message of " + claim.member().describe() +
                " could not be sent: " + ex.getMessage(), ex);
        }
    }

    /** Leaves a formed world: says good-bye and waits until the others have got all that was sent. */
    void leave()
    {
        if (!left.compareAndSet(false, true))
        {
            return;
        }
        sendToOthers(Envelope.bare(Envelope.Kind.GOODBYE));
        waitUntil(() -> rankOf.values().stream()
            .allMatch(rank -> rank == claim.rank() || farewells.contains(rank) || board.isLost(rank) ||
                !formation.view().contains(addressOf(rank))));
        shutDown();
    }

    /** Leaves a world that did not form: rank 0 stays until the others have heard why. */
    void abandon()
    {
        if (left.compareAndSet(false, true) && channel != null)
        {
            if (formation.isSeed())
            {
                waitUntil(formation::isAlone);
            }
        }
        shutDown();
    }

    /** Lets go of all connections as a killed process does. */
    void dieAbruptly()
    {
        left.set(true);
        control.shutdownNow();
        ChannelStack.cut(channel, CLUSTER);
    }

    private Address addressOf(final int rank)
    {
        return rankOf.entrySet().stream().filter(entry -> entry.getValue() == rank).findFirst().orElseThrow().getKey();
    }

    private void waitUntil(final BooleanSupplier condition)
    {
        final long untilNs = System.nanoTime() + FAREWELL_TIMEOUT_NS;
        synchronized (lock)
        {
            try
            {
                for (long leftNs = FAREWELL_TIMEOUT_NS; leftNs > 0 && !condition.getAsBoolean();
                    leftNs = untilNs - System.nanoTime())
                {
                    TimeUnit.NANOSECONDS.timedWait(lock, Math.max(leftNs, TimeUnit.MILLISECONDS.toNanos(1)));
                }
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void shutDown()
    {
        control.shutdown();
        if (channel != null)
        {
            ChannelStack.close(channel);
        }
    }

    private static Thread newControlThread(final Runnable work)
    {
        final Thread thread = new Thread(work, "transload-rendezvous-control");
        thread.setDaemon(true);
        return thread;
    }
}
