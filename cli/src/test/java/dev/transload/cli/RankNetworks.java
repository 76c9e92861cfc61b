/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static dev.transload.cli.NetworkNamespaces.ip;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;

/** A network namespace for each rank, and a router between them, where what passes can be dropped. */
final class RankNetworks implements AutoCloseable
{
    private static final String SUBNET = "10.213.8.";
    private static final String PORT = ":21701";

    private final String prefix = "transload-" + ProcessHandle.current().pid() + "-";
    private final String hub = prefix + "hub";
    private final int ranks;

    private RankNetworks(final int ranks)
    {
        this.ranks = ranks;
    }

    /** Makes them; the test is left out where they cannot be made. */
    static RankNetworks create(final int ranks)
    {
        final RankNetworks networks = new RankNetworks(ranks);
        if (!networks.create())
        {
            networks.close();
            NetworkNamespaces.skip();
        }

        return networks;
    }

    private boolean create()
    {
        boolean isDone = ip("netns", "add", hub) &&
            ip("netns", "exec", hub, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward");
        for (int rank = 0; isDone && rank < ranks; rank++)
        {
            final String namespace = prefix + rank;
            final String router = SUBNET + (4 * rank + 1);
            isDone = ip("netns", "add", namespace) &&
                ip("-n", namespace, "link", "add", "own", "type", "veth",
                    "peer", "name", "port" + rank, "netns", hub) &&
                ip("-n", hub, "address", "add", router + "/30", "dev", "port" + rank) &&
                ip("-n", hub, "link", "set", "port" + rank, "up") &&
                ip("-n", namespace, "address", "add", address(rank) + "/30", "dev", "own") &&
                ip("-n", namespace, "link", "set", "own", "up") && ip("-n", namespace, "link", "set", "lo", "up") &&
                ip("-n", namespace, "route", "add", "default", "via", router);
        }

        return isDone;
    }

    /** What comes before a command that runs on a rank's network. */
    List<String> on(final int rank)
    {
        return List.of("ip", "netns", "exec", prefix + rank);
    }

    /** Variables by which a rank meets the others. */
    Map<String, String> place(final int rank)
    {
        return Map.of("TRANSLOAD_RENDEZVOUS", address(0) + PORT, "TRANSLOAD_AERON_HOST", address(rank));
    }

    /** What a rank sends to another gets lost on its way. */
    void cut(final int from, final int to)
    {
        assertTrue(ip("-n", hub, "rule", "add", "from", address(from), "to", address(to), "blackhole"));
    }

    private static String address(final int rank)
    {
        return SUBNET + (4 * rank + 2);
    }

    @Override
    public void close()
    {
        for (int rank = 0; rank < ranks; rank++)
        {
            ip("netns", "delete", prefix + rank);
        }

        ip("netns", "delete", hub);
    }
}
