/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

import dev.transload.rendezvous.RendezvousException.Reason;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A rank's place in the world as the launcher told it by environment variables.
 *
 * @param launcher     that was recognised.
 * @param rank         in [0, world size).
 * @param worldSize    number of ranks, at least 1.
 * @param localRank    among the ranks of its node.
 * @param ranksPerNode ranks of its node.
 * @param ranksOfNodes ranks of each node; empty where nodes differ, and the launcher tells a rank of its own node only.
 * @param address      rendezvous address {@code host:port[,host:port…]}, empty where neither the environment nor the
 *                     launcher gives one.
 */
public record LaunchEnvironment(
    Launcher launcher, int rank, int worldSize, int localRank, int ranksPerNode, List<Integer> ranksOfNodes,
    Optional<String> address)
{
    /** Variable with the rendezvous address; wins over all that a launcher gives. */
    public static final String ADDRESS_VARIABLE = "TRANSLOAD_RENDEZVOUS";

    private static final String DIFFERENT_NODES = "; where nodes have different numbers of ranks, set " +
        "TRANSLOAD_RANKS_PER_NODE to those of all nodes, e.g. 8,8,4";

    /** Ports derived from a job lie in [20000, 30000): above the well-known ones, below the ephemeral ones. */
    static final int DERIVED_PORT_BASE = 20_000;
    static final int DERIVED_PORT_COUNT = 10_000;

    /**
     * Read the environment. Transload's own variables win one by one over those of another launcher.
     *
     * @param environment variables, e.g. {@link System#getenv()}.
     * @return empty when no launcher is recognised.
     * @throws RendezvousException with {@code BAD_CONFIGURATION}, naming variable, value and what is allowed.
     */
    public static Optional<LaunchEnvironment> detect(final Map<String, String> environment)
    {
        for (final Launcher launcher : Launcher.values())
        {
            if (isPresent(environment, launcher))
            {
                return Optional.of(read(new LaunchVariables(environment, launcher)));
            }
        }
        return Optional.empty();
    }

    /**
     * Ranks of each node, which must be known.
     *
     * @return at least one number, whose sum is the world size.
     * @throws RendezvousException with {@code BAD_CONFIGURATION}, saying which variable to set.
     */
    public List<Integer> requireRanksOfNodes()
    {
        if (ranksOfNodes.isEmpty())
        {
            throw bad(describe() + ", which doesn't divide the world" + DIFFERENT_NODES);
        }

        return ranksOfNodes;
    }

    /**
     * The address, which must be there.
     *
     * @return rendezvous address.
     * @throws RendezvousException with {@code BAD_CONFIGURATION}, saying which variable to set.
     */
    public String requireAddress()
    {
        return address.orElseThrow(() -> bad(ADDRESS_VARIABLE + " is not set, and " + launcher.displayName() +
            " gives the " + worldSize + " ranks no address in common; set it to host:port of rank 0"));
    }

    /**
     * For the log.
     *
     * @return e.g. {@code Open MPI says rank 3 of 4, local rank 1 of 2 on its node}.
     */
    public String describe()
    {
        return launcher.displayName() + " says rank " + rank + " of " + worldSize + ", local rank " + localRank +
            " of " + ranksPerNode + " on its node";
    }

    /** {@code RANK} alone is too common a name to tell torchrun. */
    private static boolean isPresent(final Map<String, String> environment, final Launcher launcher)
    {
        return environment.containsKey(launcher.rankVariable()) &&
            (launcher != Launcher.TORCHRUN || environment.containsKey("WORLD_SIZE"));
    }

    private static LaunchEnvironment read(final LaunchVariables variables)
    {
        final LaunchVariables.Value worldSize = variables.worldSize();
        final LaunchVariables.Value rank = variables.rank();
        if (rank.number() >= worldSize.number())
        {
            throw bad(rank + " is outside of the world: " + worldSize + ", so 0 to " + (worldSize.number() - 1) +
                " is allowed");
        }
        final LaunchVariables.Nodes told = variables.ranksOfNodes(worldSize);
        final List<Integer> nodes = told.ranks().size() > 1 ? told.ranks() :
            worldSize.number() % told.ranks().get(0) != 0 ? List.of() :
            Collections.nCopies(worldSize.number() / told.ranks().get(0), told.ranks().get(0));
        if (!nodes.isEmpty() && nodes.stream().mapToInt(Integer::intValue).sum() != worldSize.number())
        {
            throw bad(told + " doesn't fit the world: " + worldSize + ", and the ranks of all nodes must be as many");
        }

        final Optional<LaunchVariables.Value> localRank = variables.localRank();
        if (nodes.isEmpty() && localRank.isEmpty())
        {
            throw bad(told + " doesn't divide the world: " + worldSize + DIFFERENT_NODES);
        }

        int node = 0;
        int expected = rank.number();
        while (!nodes.isEmpty() && expected >= nodes.get(node))
        {
            expected -= nodes.get(node++);
        }

        if (!nodes.isEmpty() && localRank.isPresent() && localRank.get().number() != expected)
        {
            throw bad(localRank.get() + " doesn't fit: with " + rank + " and " + told +
                " only " + expected + " is allowed; place ranks node by node, in blocks");
        }

        final int ranksPerNode = nodes.isEmpty() ? told.ranks().get(0) : nodes.get(node);
        return new LaunchEnvironment(variables.launcher(), rank.number(), worldSize.number(),
            nodes.isEmpty() ? localRank.get().number() : expected, ranksPerNode, nodes,
            address(variables, worldSize.number() == ranksPerNode));
    }

    private static Optional<String> address(final LaunchVariables variables, final boolean singleNode)
    {
        final Optional<String> own = variables.text(ADDRESS_VARIABLE);
        if (own.isPresent())
        {
            return own;
        }
        final Optional<String> job = variables.job();
        if (variables.launcher() == Launcher.TORCHRUN && variables.text("MASTER_ADDR").isPresent())
        {
            return Optional.of(variables.text("MASTER_ADDR").get() + ":" + masterPort(variables, job));
        }
        return singleNode ? job.map(id -> "127.0.0.1:" + derivedPort(id)) : Optional.empty();
    }

    /** Where torchrun's own store sits on the master port for the whole job, another port is derived from it. */
    private static int masterPort(final LaunchVariables variables, final Optional<String> job)
    {
        final int port = variables.port("MASTER_PORT");
        final boolean taken = variables.text("TORCHELASTIC_USE_AGENT_STORE")
            .filter("True"::equalsIgnoreCase).isPresent();
        return taken ? derivedPort(job.orElse(Integer.toString(port))) : port;
    }

    /** String's hash is the same in every JVM; the multiplier spreads neighbouring job numbers. */
    private static int derivedPort(final String job)
    {
        return DERIVED_PORT_BASE + Math.floorMod(job.hashCode() * 0x9E3779B1, DERIVED_PORT_COUNT);
    }

    static RendezvousException bad(final String message)
    {
        return new RendezvousException(Reason.BAD_CONFIGURATION, message);
    }
}
