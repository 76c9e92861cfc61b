/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.PingHeader;
import org.jgroups.protocols.TCPPING;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.NameCache;
import org.jgroups.util.Responses;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JGroups' TCPPING with one seed: rank 0 opens the group at once, and all others ask at its addresses until it answers,
 * so that no second group arises. Names are looked up anew for each request. Addresses carry claims; where the proof of
 * one does not fit the own secret, the secrets differ.
 *
 * <p>Members of a formed world let in who claims the rank of one that is gone. If it is not gone, that process is told
 * and answers itself: if it does not, the newcomer asks until it is gone. While rank 0 is lost, a member asks at its
 * address and says that it is one: a new rank 0, which has opened a group of its own, then joins that member instead.
 */
final class SeedDiscovery extends TCPPING
{
    private static final Logger LOGGER = LoggerFactory.getLogger(SeedDiscovery.class);
    private static final short PROTOCOL_ID = 12_116;
    private static final long REQUEST_INTERVAL_MS = 50;
    /** How long the occupant of rank 0's port has to say who it is; another program never does. */
    private static final long OCCUPANT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(3);
    /** How long rank 0 alone is asked: ranks that start together need nobody else. */
    private static final long SEED_ONLY_NS = TimeUnit.SECONDS.toNanos(1);
    /** Not at each question of a newcomer: messages to others wait while TCP tries to connect to a dead process. */
    private static final long PASS_ON_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int PROBE_TIMEOUT_MS = 300;

    private final Claim claim;
    private final GroupKey key;
    private final AddressList addresses;
    private final Set<PhysicalAddress> inviters;
    private final boolean isPortTaken;
    private final long deadlineNs;
    private final long occupantDeadlineNs;
    private final long seedOnlyUntilNs;
    private final AtomicLong passOnNs = new AtomicLong(System.nanoTime());
    private final Set<Address> resetConnections = ConcurrentHashMap.newKeySet();
    /** Members of a formed world that are in the group, or null. */
    private volatile List<Address> world;
    private volatile Claim answered;
    private volatile RendezvousException refusal;
    private int lastAsked;

    static
    {
        ClassConfigurator.addProtocol(PROTOCOL_ID, SeedDiscovery.class);
    }

    /**
     * Discovery for one attempt to connect; perhaps while another process listens where this one should. Members of a
     * formed world that ask for this process are added to the inviters, and asked.
     */
    SeedDiscovery(final Claim claim, final GroupKey key, final AddressList addresses,
        final Set<PhysicalAddress> inviters, final boolean isPortTaken, final long deadlineNs)
    {
        this.claim = claim;
        this.key = key;
        this.addresses = addresses;
        this.inviters = inviters;
        this.isPortTaken = isPortTaken;
        this.deadlineNs = deadlineNs;
        occupantDeadlineNs = Math.min(deadlineNs, System.nanoTime() + OCCUPANT_TIMEOUT_NS);
        seedOnlyUntilNs = System.nanoTime() + SEED_ONLY_NS;
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

    /** The world has formed, or one of its members has gone or come. */
    void tell(final List<Address> present)
    {
        world = present;
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
        final boolean mayOpen = claim.rank() == 0 && !isPortTaken;
        if (mayOpen && inviters.isEmpty())
        {
            responses.done();
        }
        for (long leftNs = leftNs(); leftNs > 0 && null == refusal && !responses.isDone(); leftNs = leftNs())
        {
            request(members, responses);
            responses.waitFor(Math.min(REQUEST_INTERVAL_MS, TimeUnit.NANOSECONDS.toMillis(leftNs) + 1));
        }
        if (mayOpen && null == answered && null == refusal)
        {
            // Those that invited it are gone.
            inviters.clear();
            responses.done();
        }
        if (!responses.isDone())
        {
            throw null == refusal ? unanswered() : refusal;
        }
    }

    private void request(final List<Address> members, final Responses responses)
    {
        initial_hosts = Stream.concat(inviters.stream(), Stream.concat(addresses.resolve(0).stream(),
            null == members ? another() : Stream.empty()).map(SeedDiscovery::physical)).collect(Collectors.toList());
        super.findMembers(members, null == members, responses);
    }

    /** One of the other listed ranks, in turn: rank 0 may be lost. */
    private Stream<InetSocketAddress> another()
    {
        if (addresses.count() == 1 || System.nanoTime() - seedOnlyUntilNs < 0)
        {
            return Stream.empty();
        }
        lastAsked = (lastAsked + 1) % addresses.count();
        return lastAsked == 0 || lastAsked == claim.rank() ? Stream.empty() : addresses.resolve(lastAsked).stream();
    }

    private static PhysicalAddress physical(final InetSocketAddress host)
    {
        return new IpAddress(host.getAddress(), host.getPort());
    }

    /**
     * Asks for a new process of rank 0 at its address, as a member of a formed world. Where nobody listens, JGroups
     * would hold back other messages while it tries to connect.
     */
    void seekSeed()
    {
        for (final InetSocketAddress host : addresses.resolve(0))
        {
            try (Socket probe = new Socket())
            {
                probe.connect(host, PROBE_TIMEOUT_MS);
            }
            catch (final IOException ex)
            {
                LOGGER.debug("nobody listens at {}: {}", host, ex.getMessage());
                continue;
            }
            sendQuestion(physical(host), new PingData(local_addr, true, NameCache.get(local_addr),
                (PhysicalAddress)down(new Event(Event.GET_PHYSICAL_ADDRESS, local_addr))));
        }
    }

    private void sendQuestion(final Address to, final PingData asker)
    {
        sendDiscoveryRequest(new BytesMessage(to).setFlag(Message.Flag.OOB, Message.Flag.DONT_BUNDLE)
            .setFlag(Message.TransientFlag.DONT_LOOPBACK).setArray(marshal(asker))
            .putHeader(id, new PingHeader(PingHeader.GET_MBRS_REQ).clusterName(cluster_name)));
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
        if (header.type() == PingHeader.GET_MBRS_REQ && !isForAll(from, data, header.initialDiscovery()))
        {
            return null;
        }
        if (header.type() == PingHeader.GET_MBRS_RSP)
        {
            answered = Claim.of(from).orElseThrow();
            if (null == view && null == refusal && data.stream().noneMatch(PingData::isCoord))
            {
                refusal = conflict(claim, local_addr,
                    data.stream().filter(PingData::isServer).map(PingData::getAddress).toList());
            }
        }
        return super.handle(header, message);
    }

    /** Whether a question is answered as JGroups does; if not, it is answered here, or not at all. */
    private boolean isForAll(final Address from, final List<PingData> data, final boolean isInitial)
    {
        if (data.stream().anyMatch(asker -> !from.equals(asker.getAddress())))
        {
            // Passed on by a member: another process claims this one's rank.
            data.forEach(asker -> answer(asker.getAddress(), data, List.of(local_addr)));
            return false;
        }
        if (null != view && view.containsMember(from))
        {
            return true;
        }
        if (data.stream().anyMatch(PingData::isServer))
        {
            if (null == world)
            {
                data.stream().map(PingData::getPhysicalAddr).filter(Objects::nonNull).forEach(inviters::add);
            }
            return false;
        }
        // Before the world has formed, only rank 0 lets others in.
        return null == world ? claim.rank() == 0 || !isInitial : isLetIn(from, data, world);
    }

    private boolean isLetIn(final Address from, final List<PingData> data, final List<Address> present)
    {
        final Claim newcomer = Claim.of(from).orElseThrow();
        final Optional<Address> incumbent = ofRank(newcomer.rank(), present);
        final boolean isLetIn = incumbent.isEmpty() && newcomer.worldSize() == claim.worldSize();
        if (!isLetIn)
        {
            answer(from, data, List.of(local_addr));
            incumbent.filter(member -> !member.equals(local_addr)).ifPresent(member -> passOn(data, member));
        }
        return isLetIn;
    }

    private static Optional<Address> ofRank(final int rank, final List<Address> members)
    {
        return members.stream().filter(member -> Claim.of(member).orElseThrow().rank() == rank).findFirst();
    }

    private void passOn(final List<PingData> question, final Address incumbent)
    {
        final long nowNs = System.nanoTime();
        final long fromNs = passOnNs.get();
        if (nowNs - fromNs >= 0 && passOnNs.compareAndSet(fromNs, nowNs + PASS_ON_INTERVAL_NS))
        {
            question.forEach(asker -> sendQuestion(incumbent, asker));
        }
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
