/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.PingHeader;
import org.jgroups.protocols.TCPPING;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.Responses;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JGroups' TCPPING with one seed: rank 0 opens the group at once, and all others ask at its addresses until it answers,
 * so that no second group arises. Names are looked up anew for each request. Addresses carry claims; where the proof of
 * one does not fit the own secret, the secrets differ.
 */
final class SeedDiscovery extends TCPPING
{
    private static final Logger LOGGER = LoggerFactory.getLogger(SeedDiscovery.class);
    private static final short PROTOCOL_ID = 12_116;
    private static final long REQUEST_INTERVAL_MS = 50;
    /** How long the occupant of rank 0's port has to say who it is; another program never does. */
    private static final long OCCUPANT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(3);

    private final Claim claim;
    private final GroupKey key;
    private final AddressList addresses;
    private final boolean isPortTaken;
    private final long deadlineNs;
    private final long occupantDeadlineNs;
    private final Set<Address> resetConnections = ConcurrentHashMap.newKeySet();
    private volatile List<Address> world = List.of();
    private volatile Claim answered;
    private volatile RendezvousException refusal;

    static
    {
        ClassConfigurator.addProtocol(PROTOCOL_ID, SeedDiscovery.class);
    }

    /** Discovery for one attempt to connect; perhaps while another process listens where this one should. */
    SeedDiscovery(final Claim claim, final GroupKey key, final AddressList addresses,
        final boolean isPortTaken, final long deadlineNs)
    {
        this.claim = claim;
        this.key = key;
        this.addresses = addresses;
        this.isPortTaken = isPortTaken;
        this.deadlineNs = deadlineNs;
        occupantDeadlineNs = Math.min(deadlineNs, System.nanoTime() + OCCUPANT_TIMEOUT_NS);
        initial_hosts_set_programmatically = true;
        // Rank 0 is asked where others are; without this it would answer questions for its own address only.
        return_entire_cache = true;
    }

    /**
     * Only before there is a view, as the transport then asks whether its port may be ephemeral. Later the coordinator
     * tells old and new members each other's addresses, as JGroups does for static discovery.
     */
    @Override
    public boolean isDynamic()
    {
        return null == view;
    }

    /** The world has formed: a process that comes now is told its members, and cannot join. */
    void close(final List<Address> members)
    {
        world = members;
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
            resetConnections.addAll(event.<Collection<Address>>getArg());
        }
        return super.up(event);
    }

    @Override
    public void findMembers(final List<Address> members, final boolean initial, final Responses responses)
    {
        if (!initial)
        {
            request(members, responses);
            return;
        }
        if (claim.rank() == 0 && !isPortTaken)
        {
            responses.done();
        }
        for (long leftNs = leftNs(); leftNs > 0 && null == refusal && !responses.isDone(); leftNs = leftNs())
        {
            request(members, responses);
            responses.waitFor(Math.min(REQUEST_INTERVAL_MS, TimeUnit.NANOSECONDS.toMillis(leftNs) + 1));
        }
        if (!responses.isDone())
        {
            throw null == refusal ? unanswered() : refusal;
        }
    }

    private void request(final List<Address> members, final Responses responses)
    {
        initial_hosts = addresses.resolve(0).stream()
            .map(host -> new IpAddress(host.getAddress(), host.getPort())).collect(Collectors.toList());
        super.findMembers(members, null == members, responses);
    }

    private long leftNs()
    {
        return Thread.currentThread().isInterrupted() ? 0 :
            (claim.rank() == 0 && null == answered ? occupantDeadlineNs : deadlineNs) - System.nanoTime();
    }

    private RendezvousException unanswered()
    {
        if (null != answered)
        {
            return new RendezvousException(Reason.MISSING_RANKS, answered.member().describe() + " answered at " +
                addresses.ofRank(0) + ", but did not let " + claim.member().describe() + " join in time");
        }
        return claim.rank() == 0 ?
            new RendezvousException(Reason.ADDRESS_UNAVAILABLE, addresses.ofRank(0) + " is in use by another " +
                "program; stop it, or choose another port in " + JGroupsRendezvousConfig.PATH + ".address") :
            new RendezvousException(Reason.MISSING_RANKS,
                "rank 0 did not come: no rank 0 answered at " + addresses.ofRank(0) + " in time");
    }

    @Override
    protected Object handle(final PingHeader header, final Message message)
    {
        final Address from = message.getSrc();
        final Optional<String> distrust = Claim.distrust(from, key);
        if (distrust.isPresent())
        {
            onStranger(header, message, distrust.get());
            return null;
        }
        final List<PingData> data = dataOf(message);
        if (header.type() == PingHeader.GET_MBRS_REQ && !world.isEmpty() && !world.contains(from))
        {
            answer(from, data, world);
            return null;
        }
        if (header.type() == PingHeader.GET_MBRS_RSP)
        {
            answered = Claim.of(from).orElseThrow();
            if (null == view && data.stream().noneMatch(PingData::isCoord))
            {
                refusal = conflict(claim, local_addr, data.stream().map(PingData::getAddress).toList());
            }
        }
        return super.handle(header, message);
    }

    /** Why it cannot join the members, or null. They may have let it in, and it has not heard of that yet. */
    static RendezvousException conflict(final Claim claim, final Address own, final List<Address> members)
    {
        return claim.conflictWith(members.stream().filter(member -> !member.equals(own)).map(Claim::of)
            .flatMap(Optional::stream).toList());
    }

    /** A stranger is told the members, so that it can say why it is refused, but not where the other members are. */
    private void onStranger(final PingHeader header, final Message message, final String why)
    {
        final String stranger = Claim.of(message.getSrc()).map(Claim::member).map(Member::describe)
            .orElseGet(() -> String.valueOf(message.getSrc()));
        final String sentence = why + "; set " + JGroupsRendezvousConfig.PATH + ".secret to the same text on all ranks";
        if (header.type() == PingHeader.GET_MBRS_RSP)
        {
            // Only a process that was asked knows this process's address: nobody else can keep it from joining.
            if (dataOf(message).stream().anyMatch(data -> null != data.mbrs() && data.mbrs().contains(local_addr)))
            {
                refusal = new RendezvousException(Reason.REFUSED,
                    stranger + " refused " + claim.member().describe() + ": " + sentence);
            }
            return;
        }
        LOGGER.warn("{} refused {}: {}", claim.member().describe(), stranger, sentence);
        answer(message.getSrc(), dataOf(message), List.of(local_addr));
    }

    /** Tells a process, which is no member and so reached by the network address that it gave, who is here. */
    private void answer(final Address from, final List<PingData> request, final List<Address> members)
    {
        request.stream().map(PingData::getPhysicalAddr).filter(Objects::nonNull).forEach(to -> sendDiscoveryResponse(
            members.stream().map(member -> new PingData(member, true).mbrs(List.of(from))).toList(), to));
    }

    private List<PingData> dataOf(final Message message)
    {
        return Objects.requireNonNullElse(
            readPingData(message.getArray(), message.getOffset(), message.getLength()), List.of());
    }
}
