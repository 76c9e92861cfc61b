/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jgroups.JChannel;
import org.jgroups.protocols.AUTH;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.FRAG3;
import org.jgroups.protocols.SYM_ENCRYPT;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.Protocol;

/**
 * The JGroups protocols of a rendezvous. There is no merge protocol: rank 0 alone opens the group, so no second one
 * arises while the world forms, and a new process of a lost rank joins the group of those that are left.
 */
final class ChannelStack
{
    private static final int MAX_THREADS = 100;
    private static final int IDLE_THREAD_MS = 5_000;
    /** Messages to other members wait meanwhile. */
    private static final int CONNECT_TIMEOUT_MS = 300;
    private static final int VERIFY_TIMEOUT_MS = 500;
    private static final int RESEND_INTERVAL_MS = 200;
    private static final int STABLE_INTERVAL_MS = 30_000;
    private static final int JOIN_TIMEOUT_MS = 2_000;
    private static final int LEAVE_TIMEOUT_MS = 500;
    private static final int VIEW_ACK_TIMEOUT_MS = 1_000;
    private static final int FRAGMENT_BYTES = 60_000;
    private static final int HEARTBEATS_A_TIMEOUT = 4;

    private ChannelStack()
    {
    }

    /** A channel that is not connected yet, whose address will carry the claim. */
    static JChannel open(final JGroupsRendezvousConfig config, final Claim claim, final GroupKey key,
        final ProofToken token, final InetSocketAddress bind, final Supplier<SeedDiscovery> discovery) throws Exception
    {
        final JChannel channel = new JChannel(QuietLog.whileLogging(
            () -> protocols(bind, discovery.get(), key, token, config.failureTimeout().toMillis())));
        channel.setName(claim.member().describe());
        channel.addAddressGenerator(() -> claim.toAddress(key));
        return channel;
    }

    /** Bottom up. */
    private static List<Protocol> protocols(final InetSocketAddress bind, final SeedDiscovery discovery,
        final GroupKey key, final ProofToken token, final long failureTimeoutMs)
    {
        final List<Protocol> protocols = new ArrayList<>();
        protocols.add(transport(bind));
        protocols.add(discovery);
        protocols.add(new FD_ALL3().setTimeout(failureTimeoutMs).setInterval(failureTimeoutMs / HEARTBEATS_A_TIMEOUT));
        protocols.add(new RepeatedVerification().setTimeout(VERIFY_TIMEOUT_MS));
        if (null != key)
        {
            final SYM_ENCRYPT encrypt = new SYM_ENCRYPT();
            encrypt.setSecretKey(key.cipherKey());
            protocols.add(encrypt.symAlgorithm(GroupKey.CIPHER).symIvLength(GroupKey.NONCE_BYTES));
        }
        protocols.add(new NAKACK2().useMcastXmit(false).setXmitInterval(RESEND_INTERVAL_MS));
        // Each message is acknowledged at once: a rank that leaves waits for that.
        protocols.add(new UNICAST3().setAckThreshold(1).setXmitInterval(RESEND_INTERVAL_MS));
        protocols.add(new STABLE().setDesiredAverageGossip(STABLE_INTERVAL_MS));
        protocols.add(new AUTH().setAuthToken(token).setAuthCoord(true));
        protocols.add(new GMS().setJoinTimeout(JOIN_TIMEOUT_MS).setLeaveTimeout(LEAVE_TIMEOUT_MS)
            .setMaxJoinAttempts(0).setViewAckCollectionTimeout(VIEW_ACK_TIMEOUT_MS)
            .printLocalAddress(false).printPhysicalAddress(false).logViewWarnings(false));
        protocols.add(new FRAG3().setFragSize(FRAGMENT_BYTES));
        return protocols;
    }

    private static TCP transport(final InetSocketAddress bind)
    {
        final TCP tcp = new TCP();
        tcp.setBindAddress(bind.getAddress());
        tcp.setBindPort(bind.getPort());
        tcp.setPortRange(0);
        tcp.setSockConnTimeout(CONNECT_TIMEOUT_MS).tcpNodelay(true).enableSuspectEvents(true);
        tcp.getThreadPool().setMaxThreads(MAX_THREADS).setKeepAliveTime(IDLE_THREAD_MS);
        return tcp;
    }
}
