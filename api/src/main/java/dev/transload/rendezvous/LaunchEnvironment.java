/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

import dev.transload.rendezvous.RendezvousException.Reason;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A rank's place in the world, as the launcher states it in environment variables.
 *
 * @param launcher     launcher that was recognised by its variables.
 * @param rank         rank in [0, world size).
 * @param worldSize    number of ranks, at least 1.
 * @param localRank    index of the rank among the ranks of its node.
 * @param ranksPerNode number of ranks of its node.
 * @param ranksOfNodes number of ranks of each node; empty if the nodes have different numbers of ranks and the launcher
 *                     states only how many ranks the node of this rank has.
 * @param address      rendezvous address {@code host:port[,host:port…]}; empty if {@link #ADDRESS_VARIABLE} is not set
 *                     and no address follows from the variables of the launcher.
 * @param generation   number of times that the launcher has restarted these ranks. Ranks of different generations must
 *                     not join the same world.
 */
public record LaunchEnvironment(
    Launcher launcher, int rank, int worldSize, int localRank, int ranksPerNode, List<Integer> ranksOfNodes,
    Optional<String> address, int generation)
{
    /**
     * Name of the environment variable that holds the rendezvous address. The variable takes precedence over an address
     * that follows from the variables of the launcher.
     */
    public static final String ADDRESS_VARIABLE = "TRANSLOAD_RENDEZVOUS";

    /** Where rank 0 listens where a launcher gives its host alone: a pod's ports are its own. */
    static final int POD_PORT = 7800;

    private static final String DIFFERENT_NODES = "; where nodes have different numbers of ranks, set " +
        "TRANSLOAD_RANKS_PER_NODE to those of all nodes, e.g. 8,8,4";

    /** Ports derived from a job lie in [20000, 30000): above the well-known ones, below the ephemeral ones. */
    static final int DERIVED_PORT_BASE = 20_000;
    static final int DERIVED_PORT_COUNT = 10_000;

    /**
     * Reads the environment variables. Each of Transload's own variables takes precedence over the launcher's variable
     * for the same value.
     *
     * @param environment environment variables, e.g. {@link System#getenv()}.
     * @return place of the rank; empty if no launcher is recognised.
     * @throws RendezvousException with {@code BAD_CONFIGURATION} if a value is not allowed; the message names the
     *                             variable, the value and the allowed values.
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
     * Returns the number of ranks of each node, or throws an exception if these numbers are not known.
     *
     * @return one number for each node; the sum of all numbers is the world size.
     * @throws RendezvousException with {@code BAD_CONFIGURATION} if the numbers are not known; the message names the
     *                             variable to set.
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
     * Returns the rendezvous address, or throws an exception if no address is set.
     *
     * @return rendezvous address.
     * @throws RendezvousException with {@code BAD_CONFIGURATION} if no address is set; the message names the variable
     *                             to set.
     */
    public String requireAddress()
    {
        return address.orElseThrow(() -> bad(ADDRESS_VARIABLE + " is not set, and " + launcher.displayName() +
            " gives the " + worldSize + " ranks no address in common; set it to host:port of rank 0"));
    }

    /**
     * Returns a description of the rank's place for the log.
     *
     * @return description, e.g. {@code Open MPI says rank 3 of 4, local rank 1 of 2 on its node}.
     */
    public String describe()
    {
        return launcher.displayName() + " says rank " + rank + " of " + worldSize + ", local rank " + localRank +
            " of " + ranksPerNode + " on its node" + (0 == generation ? "" : ", generation " + generation);
    }

    /**
     * {@code RANK} alone is too common a name to tell torchrun. Its processes in a pod of Kubeflow are ranks already,
     * and a job of a JobSet has the variables of any other.
     */
    private static boolean isPresent(final Map<String, String> environment, final Launcher launcher)
    {
        return environment.containsKey(launcher.rankVariable()) && switch (launcher)
        {
            case TORCHRUN -> environment.containsKey("WORLD_SIZE");
            case KUBEFLOW -> !environment.containsKey("LOCAL_RANK");
            case JOB_SET -> environment.containsKey("JOBSET_NAME");
            default -> true;
        };
    }

    /** Pods that are a part of something whose other parts have pods of the same numbers. */
    private static void requireWhole(final LaunchVariables variables)
    {
        if (variables.launcher() == Launcher.GROVE_CLIQUE && variables.text("GROVE_PCSG_NAME").isPresent())
        {
            throw bad("GROVE_PCSG_NAME=" + variables.text("GROVE_PCSG_NAME").get() +
                " is set but GROVE_PCSG_POD_INDEX is not, as with older versions of Grove: set TRANSLOAD_RANK");
        }

        final Optional<String> job = variables.text("JOBSET_JOB_INDEX");
        if (variables.launcher() == Launcher.JOB_SET && job.isPresent() && !"0".equals(job.get()))
        {
            throw bad("JOBSET_JOB_INDEX=" + job.get() + " is not allowed; the ranks must be the pods of one job, 0: " +
                "set replicas to 1, or TRANSLOAD_RANK of each");
        }
    }

    private static LaunchEnvironment read(final LaunchVariables variables)
    {
        requireWhole(variables);
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
            address(variables, worldSize.number() == ranksPerNode), variables.generation());
    }

    private static Optional<String> address(final LaunchVariables variables, final boolean singleNode)
    {
        final Optional<String> own = variables.text(ADDRESS_VARIABLE);
        if (own.isPresent())
        {
            return own;
        }
        final Optional<String> job = variables.job();
        final Optional<String> first = firstRank(variables, job);
        return first.isPresent() || !singleNode ? first : job.map(id -> "127.0.0.1:" + derivedPort(id));
    }

    /** Address of rank 0, where the launcher names it. */
    private static Optional<String> firstRank(final LaunchVariables variables, final Optional<String> job)
    {
        return switch (variables.launcher())
        {
            case TORCHRUN -> variables.text("MASTER_ADDR").map(host -> host + ":" + masterPort(variables, job));
            // The pod runs no torchrun, so that nobody listens there yet.
            case KUBEFLOW -> variables.text("PET_MASTER_ADDR").map(host -> host + ":" +
                variables.port("PET_MASTER_PORT"));
            case LEADER_WORKER_SET -> variables.text("LWS_LEADER_ADDRESS").map(host -> host + ":" + POD_PORT);
            // The names that their controllers give to pod 0 and to the headless service.
            case JOB_SET -> variables.text("JOBSET_REPLICATED_JOB_NAME").flatMap(pods -> variables.text("JOBSET_NAME")
                .map(set -> set + "-" + pods + "-0-0." + set + ":" + POD_PORT));
            case GROVE_CLIQUE -> variables.text("GROVE_PCLQ_NAME").flatMap(clique ->
                variables.text("GROVE_HEADLESS_SERVICE").map(service -> clique + "-0." + service + ":" + POD_PORT));
            default -> Optional.empty();
        };
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
