/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.Tuple;
import org.jgroups.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** One process in the JGroups group: connects, passes what arrives to the forming or to the formed world, leaves. */
final class Group implements Receiver, FormedWorld.Post
{
    private static final Logger LOGGER = LoggerFactory.getLogger(Group.class);
    private static final String CLUSTER = "transload";

    /** How long a leaving process waits for others to have got what it sent; they answer at once unless they hang. */
    private static final long FAREWELL_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(2);

    /** How long the occupant of a taken port has to say who he is; another program never does. */
    private static final long OCCUPANT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(3);

    private final JGroupsRendezvousConfig config;
    private final Claim claim;
    private final Consumer<JChannel> preparation;
    private final Address address = UUID.randomUUID();
    private final long deadlineNs;
    private final ScheduledExecutorService control =
        Executors.newSingleThreadScheduledExecutor(Group::newControlThread);
    private final AtomicBoolean left = new AtomicBoolean();
    private final Formation formation;
    private final Object lock = new Object();
    private final List<Message> early = new ArrayList<>();
    private SeedDiscovery discovery;
    private JChannel channel;
    private FormedWorld world;

    /** A group to join; whatever the given preparation does to its channel happens before that connects. */
    Group(final JGroupsRendezvousConfig config, final Claim claim, final Consumer<JChannel> preparation)
    {
        this.config = config;
        this.claim = claim;
        this.preparation = preparation;
        deadlineNs = System.nanoTime() + config.timeout().toNanos();
        formation = new Formation(claim, this::sendControl);
    }

    /** Joins, and waits for the world to form. */
    FormedWorld form()
    {
        connect();
        final IpAddress listensOn = (IpAddress)channel.down(new Event(Event.GET_PHYSICAL_ADDRESS, address));
        sendControl(channel.getView().getCoord(), Envelope.hello(new Envelope.Entry(address, listensOn, claim)));
        formation.await(deadlineNs, config.timeout().toMillis());
        synchronized (lock)
        {
            return world;
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
            preparation.accept(channel);
            SeedProbe.awaitListener(door);
            channel.connect(CLUSTER);
        }
        catch (final Exception ex)
        {
            if (null != channel)
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
        for (Throwable cause = ex; null != cause; cause = cause.getCause())
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
            noteAbsent(view.getMembers());
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
            case HELLO -> formation.onHello(Envelope.readHello(from, in));
            case ASK -> formation.onAsk(from);
            case PRESENT -> formation.onPresent(Envelope.readPresent(in));
            case ROSTER -> onRoster(in.readInt(), Envelope.readRoster(in));
            case READY -> formation.onReady(from, in.readInt());
            case COMPLAINT -> formation.onComplaint(Envelope.readTrouble(in));
            case FAILED -> formation.onFailed(Envelope.readTrouble(in));
            case FORMED -> formed(in.readInt());
            default -> throw new IOException("message kind " + kind + " has no place in the forming of a world");
        }
    }

    /**
     * Whoever is ready knows where to reach every other rank. JGroups tells that too, but once, by messages that may be
     * lost; a sender without a receiver's network address drops what it sends to him, for good.
     */
    private void onRoster(final int attempt, final List<Envelope.Entry> roster)
    {
        roster.forEach(entry ->
            channel.down(new Event(Event.ADD_PHYSICAL_ADDRESS, new Tuple<>(entry.address(), entry.listensOn()))));
        formation.onRoster(attempt, roster);
    }

    /** The formed world is there before any waiter hears that the world is formed. */
    private void formed(final int attempt) throws IOException
    {
        synchronized (lock)
        {
            final List<Envelope.Entry> roster = formation.rosterOf(attempt);
            if (null != world || roster.isEmpty())
            {
                return;
            }
            world = new FormedWorld(claim.rank(), roster, this);
            for (final Message message : early)
            {
                receive(message);
            }
            early.clear();
            noteAbsent(formation.view());
            formation.onFormed(attempt);
        }
    }

    private void whenFormed(final Envelope.Kind kind, final Message message, final DataInputStream in)
        throws IOException
    {
        synchronized (lock)
        {
            if (null == world)
            {
                early.add(message);
                return;
            }
            world.receive(kind, message.getSrc(), in);
            lock.notifyAll();
        }
    }

    private void noteAbsent(final List<Address> view)
    {
        if (null != world)
        {
            world.noteAbsent(view, left.get() ? null : this::absenceReason);
        }
    }

    private String absenceReason(final Address member)
    {
        return discovery.wasReset(member) ? "its connection was reset and it did not answer any more" :
            "it sent no sign of life for " + config.failureTimeout().toMillis() + " ms";
    }

    private void sendControl(final Address to, final byte[] bytes)
    {
        later(() -> send(new BytesMessage(to, bytes)), 0);
    }

    @Override
    public void sendOnce(final Address to, final byte[] bytes)
    {
        send(new BytesMessage(to, bytes).setFlag(Message.Flag.OOB, Message.Flag.NO_RELIABILITY));
    }

    @Override
    public void later(final Runnable work, final long delayNs)
    {
        try
        {
            control.schedule(() -> run(work), delayNs, TimeUnit.NANOSECONDS);
        }
        catch (final RejectedExecutionException ex)
        {
            LOGGER.debug("A message was dropped because {} leaves", claim.member().describe(), ex);
        }
    }

    private void run(final Runnable sending)
    {
        try
        {
            sending.run();
        }
        catch (final RendezvousException ex)
        {
            LOGGER.warn("{} goes on after this: {}", claim.member().describe(), ex.getMessage(), ex);
        }
    }

    private void send(final Message message)
    {
        try
        {
            channel.send(message);
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
        world.sendToOthers(Envelope::goodbye);
        waitUntil(world::isSettled);
        shutDown();
    }

    /** Leaves a world that did not form: rank 0 stays until the others have heard why. */
    void abandon()
    {
        if (left.compareAndSet(false, true) && null != channel)
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
        if (null != channel)
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
