/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.Loss;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import dev.transload.rendezvous.WorldBoard;
import dev.transload.rendezvous.jgroups.AddressList.HostAndPort;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.stack.IpAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One process in the JGroups group. The world is formed by the first view that has all ranks: views come in one order
 * to all members, and say who these are. What ranks tell each other goes by UNICAST3, which repeats it until it is
 * acknowledged and keeps its order. Thread-safe.
 */
final class Group implements Receiver
{
    private static final Logger LOGGER = LoggerFactory.getLogger(Group.class);
    private static final String CLUSTER = "transload";

    /** How long a leaving process waits for others to have got what it sent; they answer at once unless they hang. */
    private static final long FAREWELL_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long FAREWELL_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** How often a rank asks rank 0, while the world forms, whether rank 0 still counts it. */
    private static final long PRESENCE_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final JGroupsRendezvousConfig config;
    private final Claim claim;
    private final Consumer<JChannel> preparation;
    private final long deadlineNs;
    private final CompletableFuture<WorldBoard> formed = new CompletableFuture<>();
    private final List<Message> early = new ArrayList<>();
    /** Ranks that were seen before the world formed. One that stops waiting leaves again. */
    private final Set<Integer> met = new HashSet<>();
    private JChannel channel;
    private SeedDiscovery discovery;
    private View view;
    private List<Address> roster = List.of();
    private WorldBoard board;
    /** Rank 0 took this rank for dead, or this rank took rank 0 for dead, before the world formed. */
    private boolean isExcluded;
    private boolean hasLeft;

    /**
     * What ranks tell each other. On the wire: place of the kind (byte), text (modified UTF-8), bytes. The text is the
     * topic of a contribution, or the sentence of a rank 0 that waits no longer for ranks that did not come. A rank
     * that waits for the world to form says PRESENT; rank 0 answers EXCLUDED if it does not count that rank.
     */
    enum Kind
    {
        CONTRIBUTION, ANNOUNCEMENT, GOODBYE, GAVE_UP, PRESENT, EXCLUDED
    }

    /** A group to join; whatever the given preparation does to its channel happens before that connects. */
    Group(final JGroupsRendezvousConfig config, final Claim claim, final Consumer<JChannel> preparation)
    {
        this.config = config;
        this.claim = claim;
        this.preparation = preparation;
        deadlineNs = System.nanoTime() + config.timeout().toNanos();
    }

    /** Joins, and waits for the world to form. */
    WorldBoard form()
    {
        final InetSocketAddress bind = config.addresses().bindOf(config, deadlineNs);
        final GroupKey key = config.secret().map(GroupKey::deriveFrom).orElse(null);
        try
        {
            connect(bind, key);
            config.tell().ifPresent((tell) -> tell.accept(ownAddress()));
            while (!awaitWorld())
            {
                LOGGER.warn("{} and rank 0 lost sight of each other before the world formed; it joins again",
                    claim.member().describe());
                channel.close();
                startOver();
                connect(bind, key);
            }
            return formed.get();
        }
        catch (final ExecutionException ex)
        {
            throw (RendezvousException)ex.getCause();
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new RendezvousException(Reason.CLOSED, claim.member().describe() +
                " was interrupted while it waited for the other ranks", ex);
        }
    }

    /** Where it listens; the port is known since it does. */
    private String ownAddress()
    {
        final IpAddress listening =
            (IpAddress)channel.down(new Event(Event.GET_PHYSICAL_ADDRESS, channel.getAddress()));
        return new HostAndPort(config.addresses().ofRank(0).host(), listening.getPort()).toString();
    }

    private void connect(final InetSocketAddress bind, final GroupKey key)
    {
        // Two processes of one rank meet in the group, where all ranks see them.
        if (!connect(bind, key, false) && !connect(new InetSocketAddress(bind.getAddress(), 0), key, true))
        {
            throw new RendezvousException(Reason.ADDRESS_UNAVAILABLE, claim.member().describe() +
                " cannot listen on " + bind.getAddress().getHostAddress() + "; set " +
                JGroupsRendezvousConfig.PATH + ".bind to an address of this host");
        }
    }

    private synchronized void startOver()
    {
        view = null;
        isExcluded = false;
        early.clear();
    }

    /** Whether it could listen there. */
    private boolean connect(final InetSocketAddress bind, final GroupKey key, final boolean isPortTaken)
    {
        try
        {
            channel = ChannelStack.open(config, claim, key, bind,
                () -> new SeedDiscovery(claim, key, config.addresses(), isPortTaken, deadlineNs));
            discovery = channel.getProtocolStack().findProtocol(SeedDiscovery.class);
            channel.setReceiver(this);
            preparation.accept(channel);
            // JGroups drops what members of groups of other names send.
            channel.connect(0 == config.generation() ? CLUSTER : CLUSTER + "-" + config.generation());
            return true;
        }
        catch (final Exception ex)
        {
            if (null != channel)
            {
                channel.close();
            }
            for (Throwable cause = ex; null != cause; cause = cause.getCause())
            {
                if (cause instanceof RendezvousException ours)
                {
                    throw ours;
                }
                if (cause instanceof SecurityException refusal)
                {
                    throw new RendezvousException(Reason.REFUSED, claim.member().describe() + " was refused: " +
                        refusal.getMessage() + "; set " + JGroupsRendezvousConfig.PATH +
                        ".secret to the same text on all ranks", refusal);
                }
                if (cause instanceof BindException)
                {
                    LOGGER.warn("{} cannot listen at {}: {}", claim.member().describe(), bind, cause.getMessage());
                    return false;
                }
            }
            throw new RendezvousException(Reason.ADDRESS_UNAVAILABLE, claim.member().describe() +
                " could not join the others at " + config.addresses() + ": " + ex.getMessage(), ex);
        }
    }

    @Override
    public synchronized void viewAccepted(final View newView)
    {
        LOGGER.debug("{} sees {} of {} processes", claim.member().describe(), newView.size(), config.worldSize());
        if (null != view && null == board && !newView.containsMember(view.getMembers().get(0)))
        {
            if (discovery.wasReset(view.getMembers().get(0)))
            {
                formed.completeExceptionally(new RendezvousException(Reason.MEMBER_LOST,
                    "rank 0 was lost before the world formed; start all ranks again"));
            }
            isExcluded = true;
        }
        view = newView;
        if (!formed.isDone())
        {
            view.getMembers().forEach(member -> met.add(rankOf(member)));
            formWhenComplete();
        }
        if (!hasLeft)
        {
            roster.stream().filter(member -> !view.containsMember(member)).forEach(this::lose);
        }
    }

    /**
     * What a lost member has not acknowledged would be sent again and again: TCP tries to connect each time, which may
     * hold back all other messages for as long as that takes.
     */
    private void forget(final Address member)
    {
        final UNICAST3 unicast = channel.getProtocolStack().findProtocol(UNICAST3.class);
        unicast.removeSendConnection(member);
    }

    private void lose(final Address member)
    {
        forget(member);
        if (discovery.wasReset(member))
        {
            board.lost(rankOf(member), Loss.GONE, "its connection was reset and it did not answer any more");
        }
        else
        {
            board.lost(rankOf(member), Loss.SILENT,
                "it sent no sign of life for " + config.failureTimeout().toMillis() + " ms");
        }
    }

    private void formWhenComplete()
    {
        final List<Claim> claims = view.getMembers().stream().map(Group::claimOf).toList();
        for (int i = 1; i < claims.size(); i++)
        {
            final RendezvousException conflict = claims.get(i).conflictWith(claims.subList(0, i));
            if (null != conflict)
            {
                formed.completeExceptionally(conflict);
            }
        }
        if (missing().isEmpty() && !formed.isDone())
        {
            roster = view.getMembers().stream().sorted(Comparator.comparingInt(Group::rankOf)).toList();
            discovery.close(roster);
            board = new WorldBoard(claim.rank(), roster.stream().map(member -> claimOf(member).member()).toList());
            early.forEach(this::receive);
            formed.complete(board);
        }
    }

    private synchronized List<Integer> missing()
    {
        final List<Integer> present = view.getMembers().stream().map(Group::rankOf).toList();
        return IntStream.range(0, config.worldSize()).filter(rank -> !present.contains(rank)).boxed().toList();
    }

    /** Ranks that did not come; where all of them did, but not at once, those that are not here. */
    private synchronized List<Integer> neverMet()
    {
        final List<Integer> ranks = missing().stream().filter(rank -> !met.contains(rank)).toList();
        return ranks.isEmpty() ? missing() : ranks;
    }

    /** Waits until the world has formed or cannot, or until this rank has to join again: then the answer is no. */
    private boolean awaitWorld() throws InterruptedException, ExecutionException
    {
        while (!mustJoinAgain())
        {
            try
            {
                formed.get(Math.min(deadlineNs - System.nanoTime(), PRESENCE_INTERVAL_NS), TimeUnit.NANOSECONDS);
                return true;
            }
            catch (final TimeoutException ex)
            {
                if (deadlineNs - System.nanoTime() <= 0)
                {
                    giveUp();
                    return true;
                }
                if (claim.rank() != 0)
                {
                    send(seed(), Kind.PRESENT, "");
                }
            }
        }
        return false;
    }

    private synchronized boolean mustJoinAgain()
    {
        return isExcluded && !formed.isDone();
    }

    private synchronized Address seed()
    {
        return view.getMembers().get(0);
    }

    /** Rank 0 tells the others which ranks are missing, before their own deadlines. */
    private void giveUp()
    {
        final List<Integer> missing = neverMet();
        final String sentence = (missing.size() == 1 ? "rank " : "ranks ") +
            missing.stream().map(String::valueOf).collect(Collectors.joining(", ")) + " of " +
            config.worldSize() + " did not come within " + config.timeout().toMillis() + " ms";
        if (formed.completeExceptionally(new RendezvousException(Reason.MISSING_RANKS, sentence)) &&
            claim.rank() == 0)
        {
            sendToOthers(Kind.GAVE_UP, sentence);
        }
    }

    private static Claim claimOf(final Address member)
    {
        return Claim.of(member).orElseThrow();
    }

    private static int rankOf(final Address member)
    {
        return claimOf(member).rank();
    }

    @Override
    public synchronized void receive(final Message message)
    {
        try (DataInputStream in = new DataInputStream(
            new ByteArrayInputStream(message.getArray(), message.getOffset(), message.getLength())))
        {
            final Kind kind = Kind.values()[in.readUnsignedByte()];
            final String text = in.readUTF();
            if (kind == Kind.GAVE_UP)
            {
                formed.completeExceptionally(new RendezvousException(Reason.MISSING_RANKS, text));
            }
            else if (kind == Kind.PRESENT)
            {
                if (!view.containsMember(message.getSrc()))
                {
                    send(message.getSrc(), Kind.EXCLUDED, "");
                }
            }
            else if (kind == Kind.EXCLUDED)
            {
                isExcluded = true;
            }
            else if (null == board)
            {
                early.add(message);
            }
            else if (roster.contains(message.getSrc()))
            {
                final int from = rankOf(message.getSrc());
                switch (kind)
                {
                    case CONTRIBUTION -> board.contributed(from, text, in.readAllBytes());
                    case ANNOUNCEMENT -> board.announced(from, in.readAllBytes());
                    default -> board.departed(from);
                }
            }
        }
        catch (final IOException | IndexOutOfBoundsException ex)
        {
            LOGGER.warn("A malformed message from {} was dropped: {}", message.getSrc(), ex.getMessage());
        }
    }

    /** Sends on until each of them has got it or is gone. */
    void sendToOthers(final Kind kind, final String text, final byte... bytes)
    {
        final List<Address> to = others();
        send(to, kind, text, bytes);
        synchronized (this)
        {
            // Lost meanwhile.
            to.stream().filter(member -> !view.containsMember(member)).forEach(this::forget);
        }
    }

    private void send(final Address to, final Kind kind, final String text)
    {
        send(List.of(to), kind, text);
    }

    private void send(final List<Address> to, final Kind kind, final String text, final byte... bytes)
    {
        final ByteArrayOutputStream encoded = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(encoded))
        {
            out.writeByte(kind.ordinal());
            out.writeUTF(text);
            out.write(bytes);
            final byte[] message = encoded.toByteArray();
            for (final Address other : to)
            {
                channel.send(new BytesMessage(other, message));
            }
        }
        catch (final Exception ex)
        {
            throw new RendezvousException(Reason.CLOSED, "a message of " + claim.member().describe() +
                " could not be sent: " + ex.getMessage(), ex);
        }
    }

    /** The other ranks of the world that are still in the group, or the other members while there is no world. */
    private synchronized List<Address> others()
    {
        return view.getMembers().stream().filter(member -> !member.equals(channel.getAddress()) &&
            (null == board || roster.contains(member))).toList();
    }

    /** Leaves: a formed world after a good-bye that all have got, an unformed one, as rank 0 when the others have. */
    void leave()
    {
        synchronized (this)
        {
            if (hasLeft || null == view)
            {
                return;
            }
            hasLeft = true;
        }
        if (null != board)
        {
            sendToOthers(Kind.GOODBYE, "");
            final UNICAST3 unicast = channel.getProtocolStack().findProtocol(UNICAST3.class);
            waitUntil(() -> others().stream().allMatch(other -> unicast.getNumUnackedMessages(other) == 0));
        }
        else if (channel.getAddress().equals(view.getCoord()))
        {
            waitUntil(() -> others().isEmpty());
        }
        channel.close();
    }

    private static void waitUntil(final BooleanSupplier condition)
    {
        final long untilNs = System.nanoTime() + FAREWELL_TIMEOUT_NS;
        while (!condition.getAsBoolean() && untilNs - System.nanoTime() > 0 && !Thread.currentThread().isInterrupted())
        {
            LockSupport.parkNanos(FAREWELL_INTERVAL_NS);
        }
    }
}
