/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import org.jgroups.Address;
import org.jgroups.JChannel;
import org.jgroups.protocols.AUTH;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.FRAG3;
import org.jgroups.protocols.SYM_ENCRYPT;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.Protocol;
import org.jgroups.stack.ProtocolStack;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The JGroups protocols of a rendezvous. There is no merge protocol: rank 0 alone opens the group, so no second one
 * arises while the world forms, and afterwards a lost member stays lost.
 */
final class ChannelStack
{
    private static final int MAX_THREADS = 100;
    private static final int IDLE_THREAD_MS = 5_000;
    private static final int CONNECT_TIMEOUT_MS = 1_000;
    private static final int VERIFY_TIMEOUT_MS = 500;
    private static final int RESEND_INTERVAL_MS = 500;
    private static final int STABLE_INTERVAL_MS = 30_000;
    private static final int JOIN_TIMEOUT_MS = 2_000;
    private static final int LEAVE_TIMEOUT_MS = 500;
    private static final int VIEW_ACK_TIMEOUT_MS = 1_000;
    private static final int FRAGMENT_BYTES = 60_000;
    private static final int HEARTBEATS_A_TIMEOUT = 4;

    private ChannelStack()
    {
    }

    /** A channel that is not connected yet. */
    static JChannel open(
        final InetSocketAddress bind,
        final Supplier<SeedDiscovery> discovery,
        final GroupKey key,
        final Duration failureTimeout,
        final Address ownAddress,
        final String name) throws Exception
    {
        final JChannel channel = new JChannel(QuietLog.whileLogging(
            () -> protocols(bind, discovery, key, failureTimeout, ownAddress)));
        channel.setName(name);
        channel.addAddressGenerator(() -> ownAddress);
        return channel;
    }

    /** Bottom up. */
    private static List<Protocol> protocols(
        final InetSocketAddress bind,
        final Supplier<SeedDiscovery> discovery,
        final GroupKey key,
        final Duration failureTimeout,
        final Address ownAddress)
    {
        final List<Protocol> protocols = new ArrayList<>();
        protocols.add(transport(bind));
        protocols.add(discovery.get());
        protocols.add(new FD_ALL3().setTimeout(failureTimeout.toMillis())
            .setInterval(failureTimeout.toMillis() / HEARTBEATS_A_TIMEOUT));
        protocols.add(new VERIFY_SUSPECT2().setTimeout(VERIFY_TIMEOUT_MS));
        if (null != key)
        {
            final SYM_ENCRYPT encrypt = new SYM_ENCRYPT();
            encrypt.symAlgorithm(GroupKey.CIPHER);
            encrypt.symIvLength(GroupKey.NONCE_BYTES);
            encrypt.setSecretKey(key.cipherKey());
            protocols.add(encrypt);
        }
        protocols.add(new NAKACK2().useMcastXmit(false).setXmitInterval(RESEND_INTERVAL_MS));
        protocols.add(new UNICAST3().setXmitInterval(RESEND_INTERVAL_MS));
        protocols.add(new STABLE().setDesiredAverageGossip(STABLE_INTERVAL_MS));
        if (null != key)
        {
            final ProofToken token = new ProofToken(key);
            token.bindTo(ownAddress);
            protocols.add(new AUTH().setAuthToken(token).setAuthCoord(true));
        }
        protocols.add(new GMS().setJoinTimeout(JOIN_TIMEOUT_MS).setLeaveTimeout(LEAVE_TIMEOUT_MS)
            .setMaxJoinAttempts(0).setViewAckCollectionTimeout(VIEW_ACK_TIMEOUT_MS)
            .printLocalAddress(false).printPhysicalAddress(false).logViewWarnings(false));
        protocols.add(new FRAG3().setFragSize(FRAGMENT_BYTES));
        return protocols;
    }

    /** Closes a channel without a word in the log. */
    static void close(final JChannel channel)
    {
        if (null != channel.getProtocolStack())
        {
            channel.getProtocolStack().getProtocols().forEach(QuietLog::hush);
        }
        channel.close();
    }

    /** Closes a channel's sockets and threads without leaving the group. */
    static void cut(final JChannel channel, final String cluster)
    {
        final ProtocolStack stack = channel.getProtocolStack();
        stack.getProtocols().forEach(QuietLog::hush);
        try
        {
            stack.stopStack(cluster);
        }
        catch (final Exception ex)
        {
            throw new IllegalStateException("the stack of " + channel.getName() + " did not stop", ex);
        }
        stack.destroy();
    }

    private static TCP transport(final InetSocketAddress bind)
    {
        final TCP tcp = new TCP();
        QuietLog.hush(tcp);
        tcp.setBindAddress(bind.getAddress());
        tcp.setBindPort(bind.getPort());
        tcp.setPortRange(0);
        tcp.setSockConnTimeout(CONNECT_TIMEOUT_MS);
        tcp.tcpNodelay(true);
        tcp.enableSuspectEvents(true);
        tcp.logAcceptError(false);
        tcp.logDetails(false);
        tcp.getThreadPool().setMaxThreads(MAX_THREADS).setKeepAliveTime(IDLE_THREAD_MS);
        return tcp;
    }
}
