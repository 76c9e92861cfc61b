/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
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
import org.jgroups.PhysicalAddress;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.stack.IpAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One process in the JGroups group. The world is formed by the first view that has all ranks: views come in one order
 * to all members, and say who these are. What ranks tell each other goes by UNICAST3, which repeats it until it is
 * acknowledged and keeps its order. A process that comes to a formed world learns so from who admits it
 * ({@link ProofToken}), and waits until a member welcomes it with the roster. Thread-safe.
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

    /** How often a waiting rank 0 looks whether a formed world has asked for it. */
    private static final long INVITATION_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How often a member asks for a new process of rank 0 while that is lost. */
    private static final long SEEK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final JGroupsRendezvousConfig config;
    private final Claim claim;
    private final Consumer<JChannel> preparation;
    private final long deadlineNs;
    private final CompletableFuture<WorldBoard> formed = new CompletableFuture<>();
    private final List<Message> early = new ArrayList<>();
    /** Ranks that were seen before the world formed. One that stops waiting leaves again. */
    private final Set<Integer> met = new HashSet<>();
    /** Where members of a formed world listen that asked for this process. */
    private final Set<PhysicalAddress> inviters = ConcurrentHashMap.newKeySet();
    /** Views that came to a formed world's newcomer before its roster. */
    private final List<View> unfollowed = new ArrayList<>();
    private JChannel channel;
    private SeedDiscovery discovery;
    private View view;
    private Roster roster;
    private WorldBoard board;
    /** Id of the view that formed the world. */
    private volatile long formedAt = ProofToken.UNFORMED;
    /** The world had formed before this process came. */
    private boolean isNewcomer;
    private volatile Thread seeker;
    /** Rank 0 took this rank for dead, or this rank took rank 0 for dead, before the world formed. */
    private boolean isExcluded;
    /** Before the world formed: what it is still told of this group does not count. */
    private boolean isJoiningAgain;
    private boolean hasLeft;

    /**
     * What ranks tell each other. On the wire: place of the kind (byte), text (modified UTF-8), bytes. The text is the
     * topic of a contribution, or the sentence of a rank 0 that waits no longer for ranks that did not come. A rank
     * that waits for the world to form says PRESENT; rank 0 answers EXCLUDED if it does not count that rank. So does a
     * newcomer to a formed world, whose members answer WELCOME with the {@link Roster} as the bytes, or REFUSED with a
     * sentence and the reason (byte).
     */
    enum Kind
    {
        CONTRIBUTION, ANNOUNCEMENT, GOODBYE, GAVE_UP, PRESENT, EXCLUDED, WELCOME, REFUSED
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
                leaveToJoinAgain();
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

    private void leaveToJoinAgain()
    {
        if (isNewcomer || inviters.isEmpty())
        {
            LOGGER.warn("{} and the others lost sight of each other before it knew all ranks; it joins again",
                claim.member().describe());
        }
        else
        {
            LOGGER.info("{} joins the world that has formed without it", claim.member().describe());
            // Who has joined its own group comes along.
            sendToOthers(Kind.EXCLUDED, "");
            awaitAcknowledgements();
        }
        // What it is still told of the group that it leaves does not count.
        channel.setReceiver(null);
        channel.close();
        startOver();
    }

    private synchronized void startOver()
    {
        view = null;
        formedAt = ProofToken.UNFORMED;
        isNewcomer = false;
        isExcluded = false;
        isJoiningAgain = false;
        unfollowed.clear();
        early.clear();
    }

    /** Who admits this process tells it so before its first view. */
    private synchronized void hearFormedAt(final long viewId)
    {
        if (null == view)
        {
            formedAt = viewId;
        }
    }

    private long formedAt()
    {
        return formedAt;
    }

    /** Whether it could listen there. */
    private boolean connect(final InetSocketAddress bind, final GroupKey key, final boolean isPortTaken)
    {
        try
        {
            channel = ChannelStack.open(config, claim, key,
                new ProofToken(key, this::formedAt, this::hearFormedAt), bind,
                () -> new SeedDiscovery(claim, key, config.addresses(), inviters, isPortTaken, deadlineNs));
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
        if (isJoiningAgain)
        {
            return;
        }
        final View before = view;
        view = newView;
        if (null == before)
        {
            isNewcomer = formedAt != ProofToken.UNFORMED && formedAt < newView.getViewId().getId();
        }
        if (null != roster)
        {
            follow(before);
        }
        else if (isNewcomer)
        {
            unfollowed.add(newView);
            receiveEarly();
        }
        else if (!formed.isDone())
        {
            if (null != before && !newView.containsMember(before.getCoord()))
            {
                missRankZero(before.getCoord());
            }
            view.getMembers().forEach(member -> met.add(rankOf(member)));
            formWhenComplete();
        }
    }

    private void missRankZero(final Address seed)
    {
        // A rank 0 that said that it joins another group is not lost.
        if (!isExcluded && discovery.wasReset(seed))
        {
            formed.completeExceptionally(new RendezvousException(Reason.MEMBER_LOST,
                "rank 0 was lost before the world formed; start all ranks again"));
        }
        isExcluded = true;
    }

    private void follow(final View before)
    {
        if (hasLeft)
        {
            return;
        }
        before.getMembers().stream().filter(member -> !view.containsMember(member)).forEach(this::forget);
        roster.follow(view, discovery::wasReset, config.failureTimeout().toMillis());
        tellDiscovery();
        receiveEarly();
        if (isCoordinator())
        {
            view.getMembers().stream().filter(member -> !before.containsMember(member)).forEach(this::welcome);
        }
        seekRankZero();
    }

    private void tellDiscovery()
    {
        discovery.tell(roster.present());
    }

    /** Tells a process in the group who has which rank, or why it has none. */
    private void welcome(final Address newcomer)
    {
        if (roster.contains(newcomer))
        {
            send(List.of(newcomer), Kind.WELCOME, "", roster.toBytes());
        }
        else
        {
            final RendezvousException refusal = roster.refusalOf(newcomer);
            send(List.of(newcomer), Kind.REFUSED, refusal.getMessage(), (byte)refusal.reason().ordinal());
        }
    }

    /** A new rank 0 cannot know that a world has formed: whom it should ask may listen at any port. */
    private void seekRankZero()
    {
        final boolean isWanted = isCoordinator() && roster.isLost(0);
        if (isWanted && null == seeker)
        {
            seeker = new Thread(this::seek, "transload-rendezvous-seeker");
            seeker.setDaemon(true);
            seeker.start();
        }
        else if (!isWanted)
        {
            stopSeeking();
        }
    }

    private void seek()
    {
        while (seeker == Thread.currentThread())
        {
            try
            {
                discovery.seekSeed();
            }
            catch (final RuntimeException ex)
            {
                LOGGER.debug("{} could not look for rank 0", claim.member().describe(), ex);
            }
            LockSupport.parkNanos(SEEK_INTERVAL_NS);
        }
    }

    private void stopSeeking()
    {
        if (null != seeker)
        {
            seeker.interrupt();
            seeker = null;
        }
    }

    private boolean isCoordinator()
    {
        return channel.getAddress().equals(view.getCoord());
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
            formedAt = view.getViewId().getId();
            enter(Roster.formedBy(view, claim.rank()));
        }
    }

    private void enter(final Roster world)
    {
        roster = world;
        board = roster.board();
        unfollowed.forEach(each -> roster.follow(each, discovery::wasReset, config.failureTimeout().toMillis()));
        unfollowed.clear();
        tellDiscovery();
        receiveEarly();
        formed.complete(board);
        seekRankZero();
    }

    private void receiveEarly()
    {
        final List<Message> kept = List.copyOf(early);
        early.clear();
        kept.forEach(this::receive);
    }

    synchronized boolean hasReturned()
    {
        return roster.hasReturned(claim.rank());
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
                formed.get(Math.min(deadlineNs - System.nanoTime(), intervalNs()), TimeUnit.NANOSECONDS);
                return true;
            }
            catch (final TimeoutException ex)
            {
                if (deadlineNs - System.nanoTime() <= 0)
                {
                    giveUp();
                    return true;
                }
                send(whomToAsk(), Kind.PRESENT, "");
            }
        }
        return false;
    }

    private synchronized long intervalNs()
    {
        return claim.rank() == 0 && !isNewcomer ? INVITATION_INTERVAL_NS : PRESENCE_INTERVAL_NS;
    }

    private synchronized boolean mustJoinAgain()
    {
        isJoiningAgain = !formed.isDone() && (isExcluded || !isNewcomer && !inviters.isEmpty());
        return isJoiningAgain;
    }

    /** Who knows whether this rank is counted, or who is here. */
    private synchronized List<Address> whomToAsk()
    {
        if (isNewcomer)
        {
            final List<Address> others = others();
            // The world has ended meanwhile.
            isExcluded |= others.isEmpty();
            return others;
        }
        return claim.rank() == 0 ? List.of() : List.of(view.getCoord());
    }

    /** Rank 0 tells the others which ranks are missing, before their own deadlines. */
    private synchronized void giveUp()
    {
        if (isNewcomer)
        {
            formed.completeExceptionally(new RendezvousException(Reason.MISSING_RANKS, claimOf(view.getCoord())
                .member().describe() + " let " + claim.member().describe() + " join the formed world, but did not " +
                "tell it who is there within " + config.timeout().toMillis() + " ms"));
            return;
        }
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
        if (isJoiningAgain)
        {
            return;
        }
        try (DataInputStream in = new DataInputStream(
            new ByteArrayInputStream(message.getArray(), message.getOffset(), message.getLength())))
        {
            final Kind kind = Kind.values()[in.readUnsignedByte()];
            final String text = in.readUTF();
            switch (kind)
            {
                case GAVE_UP -> onGaveUp(text);
                case PRESENT -> onPresent(message.getSrc());
                case EXCLUDED -> isExcluded = true;
                case REFUSED -> formed.completeExceptionally(
                    new RendezvousException(Reason.values()[in.readUnsignedByte()], text));
                case WELCOME -> onWelcome(message, in.readAllBytes());
                default -> onNews(message, kind, text, in);
            }
        }
        catch (final IOException | IndexOutOfBoundsException ex)
        {
            LOGGER.warn("A malformed message from {} was dropped: {}", message.getSrc(), ex.getMessage());
        }
    }

    private void onGaveUp(final String sentence)
    {
        if (!isNewcomer)
        {
            formed.completeExceptionally(new RendezvousException(Reason.MISSING_RANKS, sentence));
        }
    }

    private void onPresent(final Address from)
    {
        if (null != view && view.containsMember(from))
        {
            if (null != roster)
            {
                welcome(from);
            }
        }
        else if (null != view && isCoordinator())
        {
            send(List.of(from), Kind.EXCLUDED, "");
        }
    }

    private void onWelcome(final Message message, final byte[] bytes) throws IOException
    {
        if (null != roster)
        {
            return;
        }
        final Roster world = Roster.read(bytes, claim.rank());
        if (null == view || view.getViewId().getId() < world.viewId())
        {
            // Until it sees all whom the sender saw: it sends to those whom it sees.
            early.add(message);
        }
        else if (world.contains(channel.getAddress()))
        {
            enter(world);
        }
    }

    /** What a rank says; it may say so before this process sees the view that gives it its place. */
    private void onNews(final Message message, final Kind kind, final String text, final DataInputStream in)
        throws IOException
    {
        final Address src = message.getSrc();
        if (null == roster || !roster.contains(src) && !roster.isFormer(src) && Claim.of(src).isPresent())
        {
            early.add(message);
        }
        else if (roster.contains(src))
        {
            final int from = rankOf(src);
            switch (kind)
            {
                case CONTRIBUTION -> board.contributed(from, text, in.readAllBytes());
                case ANNOUNCEMENT -> board.announced(from, in.readAllBytes());
                default -> board.departed(from);
            }
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
            (null == roster || roster.contains(member))).toList();
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
            stopSeeking();
        }
        if (null != board)
        {
            sendToOthers(Kind.GOODBYE, "");
            awaitAcknowledgements();
        }
        else if (channel.getAddress().equals(view.getCoord()))
        {
            waitUntil(() -> others().isEmpty());
        }
        channel.close();
    }

    private void awaitAcknowledgements()
    {
        final UNICAST3 unicast = channel.getProtocolStack().findProtocol(UNICAST3.class);
        waitUntil(() -> others().stream().allMatch(other -> unicast.getNumUnackedMessages(other) == 0));
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
