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
     * @param ranks  of each node; one number alone is for all of them.
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
        return number(launcher.rankVariable(), 0, MAX_RANKS - 1);
    }

    Value worldSize()
    {
        return first(ownAnd(Launcher.TRANSLOAD.worldSizeVariables(), launcher.worldSizeVariables()))
            .map(variable -> number(variable, 1, MAX_RANKS))
            .orElseThrow(() -> LaunchEnvironment.bad(launcher.rankVariable() + "=" +
                environment.get(launcher.rankVariable()) + " gives a rank but nothing gives the number of ranks; set " +
                String.join(" or ", ownAnd(Launcher.TRANSLOAD.worldSizeVariables(), launcher.worldSizeVariables()))));
    }

    Optional<Value> localRank()
    {
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
        if (launcher == Launcher.KUBERNETES)
        {
            return new Nodes("one rank a pod", List.of(1));
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
            throw LaunchEnvironment.bad("MASTER_ADDR=" + environment.get("MASTER_ADDR") + " is set but " + variable +
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
