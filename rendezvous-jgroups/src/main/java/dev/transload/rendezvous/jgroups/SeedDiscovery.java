/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.Header;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.Discovery;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.PingHeader;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.NameCache;
import org.jgroups.util.Responses;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * JGroups discovery in which rank 0 is the one that is looked for. Rank 0 opens the group at once and alone; the others
 * knock at its address until it answers, so that no two groups arise that would have to be merged, and nobody waits for
 * a discovery round to end. A knock carries the claim of its sender and proof of the secret: who is refused hears why.
 */
final class SeedDiscovery extends Discovery
{
    private static final short PROTOCOL_ID = 12_116;

    /** Short, as a refused connection costs next to nothing; then longer, for a rank 0 that takes its time. */
    private static final long FIRST_KNOCKS_INTERVAL_MS = 50;
    private static final long LATER_KNOCKS_INTERVAL_MS = 250;
    private static final int FIRST_KNOCKS = 60;

    private final Claim claim;
    private final GroupKey key;
    private final Door door;
    private final Set<Address> resetConnections = ConcurrentHashMap.newKeySet();
    private volatile RendezvousException verdict;
    private volatile Responses waiting;

    static
    {
        ClassConfigurator.addProtocol(PROTOCOL_ID, SeedDiscovery.class);
        ClassConfigurator.add(KnockHeader.MAGIC_ID, KnockHeader.class);
    }

    /**
     * Which door this process knocks at.
     *
     * @param isSeed      whether it opens the group itself.
     * @param targets     whom to knock at, looked up anew each time.
     * @param takenPort   whether the target is the occupant of this rank's own port: then it is only asked who it is.
     * @param description of the target, for messages.
     * @param deadlineNs  on {@link System#nanoTime()}'s scale.
     * @param onRival     told of a knock by another process that claims this rank.
     */
    record Door(
        boolean isSeed,
        Supplier<List<InetSocketAddress>> targets,
        boolean takenPort,
        String description,
        long deadlineNs,
        Consumer<Claim> onRival)
    {
    }

    SeedDiscovery(final Claim claim, final GroupKey key, final Door door)
    {
        super();
        this.claim = claim;
        this.key = key;
        this.door = door;
        break_on_coord_rsp = true;
        // Rank 0 is asked where others are; without this it would answer questions for its own address only.
        return_entire_cache = true;
    }

    /** Ephemeral ports are fine: only listed addresses are fixed. */
    @Override
    public boolean isDynamic()
    {
        return true;
    }

    /** Whether the connection to a member was closed by the other side. */
    boolean wasReset(final Address member)
    {
        return resetConnections.contains(member);
    }

    @Override
    public Object up(final Event event)
    {
        if (event.getType() == Event.SUSPECT)
        {
            final Collection<Address> suspects = event.getArg();
            resetConnections.addAll(suspects);
        }
        return super.up(event);
    }

    /** The coordinator tells old and new members each other's addresses, as JGroups does for static discovery. */
    @Override
    public Object down(final Event event)
    {
        final View previous = view;
        final Object result = super.down(event);
        if (event.getType() == Event.VIEW_CHANGE && is_coord && null != previous)
        {
            startCacheDissemination(new ArrayList<>(view.getMembers()), View.leftMembers(previous, view),
                View.newMembers(previous, view));
        }
        return result;
    }

    @Override
    protected void findMembers(final List<Address> members, final boolean initial, final Responses responses)
    {
        if (!initial)
        {
            askForAddresses(members);
        }
        else if (door.isSeed())
        {
            responses.done();
        }
        else
        {
            knockUntilAnswered(responses);
        }
    }

    @Override
    public Object up(final Message message)
    {
        final Header header = message.getHeader(id);
        if (header instanceof KnockHeader knockHeader)
        {
            onKnock(knockHeader, message);
            return null;
        }
        return super.up(message);
    }

    @Override
    public void up(final MessageBatch batch)
    {
        for (final var messages = batch.iterator(); messages.hasNext();)
        {
            final Message message = messages.next();
            if (message.getHeader(id) instanceof KnockHeader knockHeader)
            {
                messages.remove();
                onKnock(knockHeader, message);
            }
        }
        super.up(batch);
    }

    private void knockUntilAnswered(final Responses responses)
    {
        waiting = responses;
        for (int knocks = 0; null == verdict && !responses.isDone(); knocks++)
        {
            final long leftMs = TimeUnit.NANOSECONDS.toMillis(door.deadlineNs() - System.nanoTime());
            if (leftMs <= 0)
            {
                verdict = unanswered();
                break;
            }
            door.targets().get().forEach(this::knockAt);
            final long intervalMs = knocks < FIRST_KNOCKS ? FIRST_KNOCKS_INTERVAL_MS : LATER_KNOCKS_INTERVAL_MS;
            responses.waitFor(Math.min(intervalMs, leftMs));
        }
        if (null != verdict)
        {
            throw verdict;
        }
    }

    private RendezvousException unanswered()
    {
        return door.takenPort() ?
            new RendezvousException(Reason.ADDRESS_UNAVAILABLE, door.description() + " is in use by another program;" +
                " stop it, or choose another port in " + JGroupsRendezvousConfig.PATH + ".address") :
            new RendezvousException(Reason.MISSING_RANKS, "rank 0 did not come: no rank 0 answered at " +
                door.description() + " in time");
    }

    private void knockAt(final InetSocketAddress target)
    {
        final PhysicalAddress own = ownPhysicalAddress();
        final IpAddress destination = new IpAddress(target.getAddress(), target.getPort());
        if (!destination.equals(own))
        {
            send(destination, false, new Knock(claim, false, "", own, claim.member().incarnation()));
        }
    }

    private void onKnock(final KnockHeader header, final Message message)
    {
        final Knock.Received received;
        try
        {
            received = Knock.decode(message.getArray(), message.getOffset(), message.getLength(), key);
        }
        catch (final IOException ex)
        {
            log.warn("a malformed knock from %s was dropped: %s", message.getSrc(), ex);
            return;
        }
        if (header.isAnswer())
        {
            onAnswer(received, message.getSrc());
        }
        else
        {
            answer(received, message.getSrc());
        }
    }

    private void answer(final Knock.Received received, final Address from)
    {
        final Knock knock = received.knock();
        addDiscoveryResponseToCaches(from, knock.claim().member().describe(), knock.listensOn());
        final boolean fits = received.proof() == Knock.Proof.FITS;
        final String refusal = fits ? "" : refusalOf(received.proof());
        if (fits && knock.claim().rank() == claim.rank() && !knock.claim().isSameProcess(claim))
        {
            door.onRival().accept(knock.claim());
        }
        if (!fits)
        {
            log.warn("%s refused %s: %s", claim.member().describe(), knock.claim().member().describe(), refusal);
        }
        send(from, true, new Knock(claim, is_server && is_coord, refusal, ownPhysicalAddress(), knock.incarnation()));
    }

    private void onAnswer(final Knock.Received received, final Address from)
    {
        final Responses responses = waiting;
        final Knock answer = received.knock();
        if (null == responses || answer.incarnation() != claim.member().incarnation())
        {
            return;
        }
        if (received.proof() != Knock.Proof.FITS || !answer.refusal().isEmpty())
        {
            final String why = answer.refusal().isEmpty() ?
                refusalOf(received.proof()) : answer.refusal();
            decide(new RendezvousException(Reason.REFUSED, answer.claim().member().describe() + " refused " +
                claim.member().describe() + ": " + why), responses);
        }
        else if (door.takenPort())
        {
            decide(occupied(answer.claim()), responses);
        }
        else if (answer.coordinator())
        {
            addDiscoveryResponseToCaches(from, answer.claim().member().describe(), answer.listensOn());
            responses.addResponse(new PingData(from, true, answer.claim().member().describe(), answer.listensOn())
                .coord(true), true);
        }
    }

    private RendezvousException occupied(final Claim occupant)
    {
        return occupant.rank() == claim.rank() ?
            new RendezvousException(Reason.DUPLICATE_RANK, Formation.duplicateSentence(occupant, claim)) :
            new RendezvousException(Reason.ADDRESS_UNAVAILABLE, door.description() + " is in use by " +
                occupant.member().describe() + "; give each rank an address of its own in " +
                JGroupsRendezvousConfig.PATH + ".address");
    }

    private void decide(final RendezvousException exception, final Responses responses)
    {
        verdict = exception;
        responses.done();
    }

    private static String refusalOf(final Knock.Proof proof)
    {
        return (proof == Knock.Proof.SECRETS_DIFFER ? "their secrets differ" : "only one of them has a secret") +
            "; set " + JGroupsRendezvousConfig.PATH + ".secret to the same text on all ranks";
    }

    private void send(final Address to, final boolean answer, final Knock knock)
    {
        try
        {
            down_prot.down(new BytesMessage(to, knock.encode(key))
                .setFlag(Message.Flag.OOB, Message.Flag.DONT_BUNDLE)
                .setFlag(Message.TransientFlag.DONT_LOOPBACK)
                .putHeader(id, new KnockHeader(answer)));
        }
        catch (final RuntimeException ex)
        {
            // Nobody listens yet, or the newcomer is gone: it is knocked again, or nobody is left to be answered.
            log.debug("a knock or its answer to %s was not sent: %s", to, ex);
        }
    }

    private void askForAddresses(final List<Address> members)
    {
        final PhysicalAddress own = ownPhysicalAddress();
        final PingData data = new PingData(local_addr, false, NameCache.get(local_addr), own).mbrs(members);
        for (final InetSocketAddress target : door.targets().get())
        {
            final IpAddress destination = new IpAddress(target.getAddress(), target.getPort());
            if (!destination.equals(own))
            {
                down_prot.down(new BytesMessage(destination).setArray(marshal(data))
                    .setFlag(Message.Flag.OOB, Message.Flag.DONT_BUNDLE)
                    .setFlag(Message.TransientFlag.DONT_LOOPBACK)
                    .putHeader(id, new PingHeader(PingHeader.GET_MBRS_REQ).clusterName(cluster_name)));
            }
        }
    }

    private PhysicalAddress ownPhysicalAddress()
    {
        return (PhysicalAddress)down_prot.down(new Event(Event.GET_PHYSICAL_ADDRESS, local_addr));
    }
}
