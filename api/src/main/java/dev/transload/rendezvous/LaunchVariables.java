/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** One launcher's variables, parsed; Transload's own win over them. */
final class LaunchVariables
{
    private static final int MAX_RANKS = 1 << 20;
    private static final int MAX_PORT = 65_535;
    private static final String WORLD_SIZE = "TRANSLOAD_WORLD_SIZE";
    private static final String LOCAL_RANK = "TRANSLOAD_LOCAL_RANK";
    private static final String RANKS_PER_POD = "TRANSLOAD_RANKS_PER_POD";
    private static final String RESTARTS = "JOBSET_RESTART_ATTEMPT";

    /** Slurm writes tasks per node as {@code 4(x2)} for two nodes of four, {@code 4(x2),3} for another one of three. */
    private static final Pattern RANKS_OF_NODES = Pattern.compile("(\\d+)(\\(x(\\d+)\\))?");

    private final Map<String, String> environment;
    private final Launcher launcher;

    /**
     * A number and where it came from.
     *
     * @param origin for messages, e.g. {@code WORLD_SIZE=4}.
     * @param number parsed.
     */
    record Value(String origin, int number)
    {
        @Override
        public String toString()
        {
            return origin;
        }
    }

    /**
     * Ranks of nodes and where they came from.
     *
     * @param origin for messages.
     * @param ranks  number of ranks of each node; one number alone is for all of them.
     */
    record Nodes(String origin, List<Integer> ranks)
    {
        @Override
        public String toString()
        {
            return origin;
        }
    }

    LaunchVariables(final Map<String, String> environment, final Launcher launcher)
    {
        this.environment = environment;
        this.launcher = launcher;
    }

    Launcher launcher()
    {
        return launcher;
    }

    Value rank()
    {
        final Value place = number(launcher.rankVariable(), 0, MAX_RANKS - 1);
        final Value ranks = ranksPerPod();
        if (1 == ranks.number())
        {
            return place;
        }

        if (text(LOCAL_RANK).isEmpty())
        {
            throw LaunchEnvironment.bad(ranks + " gives each pod " + ranks.number() +
                " ranks but nothing tells them apart; set " + LOCAL_RANK + " of each to one of 0 to " +
                (ranks.number() - 1));
        }

        final Value local = number(LOCAL_RANK, 0, ranks.number() - 1);
        return product(place + " and " + local, place.number(), ranks.number(), local.number());
    }

    Value worldSize()
    {
        if (null != launcher.podsVariable())
        {
            return podsTimesRanks();
        }

        final Value size = toldWorldSize();
        final Value ranks = ranksPerPod();
        if (0 != size.number() % ranks.number())
        {
            throw LaunchEnvironment.bad(ranks + " doesn't divide the world: " + size);
        }

        return size;
    }

    private Value podsTimesRanks()
    {
        if (text(launcher.podsVariable()).isEmpty())
        {
            throw LaunchEnvironment.bad(launcher.rankVariable() + "=" + environment.get(launcher.rankVariable()) +
                " gives a pod but nothing gives the number of pods; set " + launcher.podsVariable());
        }

        final Value pods = number(launcher.podsVariable(), 1, MAX_RANKS);
        final Value ranks = ranksPerPod();
        final Value size = 1 == ranks.number() ? pods :
            product(pods + " times " + ranks, pods.number(), ranks.number(), 0);
        if (text(WORLD_SIZE).isPresent() && number(WORLD_SIZE, 1, MAX_RANKS).number() != size.number())
        {
            throw LaunchEnvironment.bad(number(WORLD_SIZE, 1, MAX_RANKS) + " doesn't fit: " + size + " makes " +
                size.number() + "; leave it out, or correct " + RANKS_PER_POD);
        }

        return size;
    }

    /** How many ranks a pod has; one for launchers of ranks. */
    private Value ranksPerPod()
    {
        if (!launcher.isOfPods())
        {
            return new Value("one process a rank", 1);
        }

        if (text(RANKS_PER_POD).isPresent())
        {
            return number(RANKS_PER_POD, 1, MAX_RANKS);
        }

        final Optional<String> told = Optional.ofNullable(launcher.ranksPerPodVariable()).flatMap(this::text);
        if (told.isPresent() && !told.get().matches("\\d+"))
        {
            throw LaunchEnvironment.bad(launcher.ranksPerPodVariable() + "=" + told.get() +
                " is no number; set " + RANKS_PER_POD);
        }

        return told.isPresent() ? number(launcher.ranksPerPodVariable(), 1, MAX_RANKS) :
            new Value("one rank a pod", 1);
    }

    /** How often a JobSet has started the ranks again; 0 at first, and for those that don't tell. */
    int generation()
    {
        return launcher.isOfPods() && text(RESTARTS).isPresent() ?
            number(RESTARTS, 0, Integer.MAX_VALUE).number() : 0;
    }

    private Value toldWorldSize()
    {
        return first(ownAnd(Launcher.TRANSLOAD.worldSizeVariables(), launcher.worldSizeVariables()))
            .map(variable -> number(variable, 1, MAX_RANKS))
            .orElseThrow(() -> LaunchEnvironment.bad(launcher.rankVariable() + "=" +
                environment.get(launcher.rankVariable()) + " gives a rank but nothing gives the number of ranks; set " +
                String.join(" or ", ownAnd(Launcher.TRANSLOAD.worldSizeVariables(), launcher.worldSizeVariables()))));
    }

    Optional<Value> localRank()
    {
        if (ranksPerPod().number() > 1)
        {
            // The rank says it already; several pods may be one node.
            return Optional.empty();
        }

        return first(ownAnd(List.of(Launcher.TRANSLOAD.localRankVariable()), null == launcher.localRankVariable() ?
            List.of() : List.of(launcher.localRankVariable())))
            .map(variable -> number(variable, 0, MAX_RANKS - 1));
    }

    Nodes ranksOfNodes(final Value worldSize)
    {
        final Optional<String> variable = first(
            ownAnd(Launcher.TRANSLOAD.ranksPerNodeVariables(), launcher.ranksPerNodeVariables()));
        if (variable.isPresent())
        {
            return list(variable.get());
        }
        if (launcher.isOfPods())
        {
            return new Nodes(ranksPerPod().origin(), List.of(ranksPerPod().number()));
        }
        final Optional<String> nodes = launcher == Launcher.SLURM ?
            first(List.of("SLURM_STEP_NUM_NODES", "SLURM_NNODES")) : Optional.empty();
        if (nodes.isPresent() && worldSize.number() % number(nodes.get(), 1, MAX_RANKS).number() == 0)
        {
            final Value nodeCount = number(nodes.get(), 1, MAX_RANKS);
            return new Nodes(worldSize + " over " + nodeCount, List.of(worldSize.number() / nodeCount.number()));
        }
        return new Nodes("all ranks on one node", List.of(worldSize.number()));
    }

    /** Names the job by all that is set of the launcher's job variables. */
    Optional<String> job()
    {
        final String job = launcher.jobVariables().stream().map(environment::get).filter(Objects::nonNull)
            .collect(Collectors.joining("."));
        return Optional.of(job).filter(id -> !id.isEmpty());
    }

    int port(final String variable)
    {
        if (!environment.containsKey(variable))
        {
            final String host = variable.replace("_PORT", "_ADDR");
            throw LaunchEnvironment.bad(host + "=" + environment.get(host) + " is set but " + variable +
                " is not; set it to a port from 1 to " + MAX_PORT);
        }
        return number(variable, 1, MAX_PORT).number();
    }

    Optional<String> text(final String variable)
    {
        return Optional.ofNullable(environment.get(variable)).map(String::strip).filter(value -> !value.isEmpty());
    }

    /** One number for all nodes, {@code 4} or {@code 4(x2)}; or one for each, {@code 4(x2),3} or {@code 4,4,3}. */
    private Nodes list(final String variable)
    {
        final String value = environment.get(variable).strip();
        final String origin = variable + "=" + value;
        final List<Integer> ranks = new ArrayList<>();
        final String[] parts = value.split(",", -1);
        for (final String part : parts)
        {
            final Matcher matcher = RANKS_OF_NODES.matcher(part.strip());
            if (!matcher.matches())
            {
                throw LaunchEnvironment.bad(origin + " is not allowed; a whole number from 1 to " + MAX_RANKS +
                    " is, or one for each node, e.g. 8,8,4 or 8(x2),4");
            }

            final int count = null == matcher.group(3) || 1 == parts.length ? 1 :
                parse(origin, matcher.group(3), 1, MAX_RANKS).number();
            ranks.addAll(Collections.nCopies(count, parse(origin, matcher.group(1), 1, MAX_RANKS).number()));
        }

        return new Nodes(origin, List.copyOf(ranks));
    }

    private Value number(final String variable, final int min, final int max)
    {
        final String value = environment.get(variable).strip();
        return parse(variable + "=" + value, value, min, max);
    }

    private static Value product(final String origin, final int factor, final int ranks, final int local)
    {
        final long number = (long)factor * ranks + local;
        if (number > MAX_RANKS)
        {
            throw LaunchEnvironment.bad(origin + " makes " + number + "; at most " + MAX_RANKS + " is allowed");
        }

        return new Value(origin, (int)number);
    }

    private static Value parse(final String origin, final String digits, final int min, final int max)
    {
        try
        {
            final int number = Integer.parseInt(digits);
            if (number >= min && number <= max)
            {
                return new Value(origin, number);
            }
        }
        catch (final NumberFormatException ex)
        {
            throw new RendezvousException(RendezvousException.Reason.BAD_CONFIGURATION,
                notAllowed(origin, min, max), ex);
        }
        throw LaunchEnvironment.bad(notAllowed(origin, min, max));
    }

    private static String notAllowed(final String origin, final int min, final int max)
    {
        return origin + " is not allowed; a whole number from " + min + " to " + max + " is";
    }

    private Optional<String> first(final List<String> variables)
    {
        return variables.stream().filter(variable -> text(variable).isPresent()).findFirst();
    }

    private static List<String> ownAnd(final List<String> own, final List<String> launchers)
    {
        final List<String> all = new ArrayList<>(own);
        launchers.stream().filter(variable -> !all.contains(variable)).forEach(all::add);
        return all;
    }
}
