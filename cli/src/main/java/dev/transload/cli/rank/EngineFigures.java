/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.cli.rank.RankReport.RoleReport;
import dev.transload.cli.rank.RankReport.WaitReport;
import dev.transload.engine.EngineStatistics;
import dev.transload.engine.PeerWait;
import dev.transload.engine.RoleTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What an engine counted between two looks at its statistics, which are cumulative.
 *
 * @param dispatchScaleOutBytes that dispatches put to other nodes.
 * @param dispatchScaleUpBytes  that dispatches put within the node.
 * @param combineScaleOutBytes  that combines put to other nodes.
 * @param combineScaleUpBytes   that combines put within the node.
 * @param roles                 time of each kind of role.
 * @param waitNsPerRank         by source rank.
 * @param waits                 time in which engine threads waited; none that is zero.
 */
public record EngineFigures(
    long dispatchScaleOutBytes,
    long dispatchScaleUpBytes,
    long combineScaleOutBytes,
    long combineScaleUpBytes,
    List<RoleReport> roles,
    long[] waitNsPerRank,
    List<WaitReport> waits)
{
    public static EngineFigures between(final EngineStatistics before, final EngineStatistics after)
    {
        return new EngineFigures(
            after.dispatchScaleOutBytes() - before.dispatchScaleOutBytes(),
            after.dispatchScaleUpBytes() - before.dispatchScaleUpBytes(),
            after.combineScaleOutBytes() - before.combineScaleOutBytes(),
            after.combineScaleUpBytes() - before.combineScaleUpBytes(),
            after.roles().stream().map((role) -> since(before.roles(), role)).toList(),
            between(before.waitNsPerRank(), after.waitNsPerRank()),
            after.peerWaits().stream().map((wait) -> since(before.peerWaits(), wait))
                .filter((wait) -> wait.ns() > 0).toList());
    }

    /** Of no time. */
    static EngineFigures none(final int ranks)
    {
        return new EngineFigures(0, 0, 0, 0, List.of(), new long[ranks], List.of());
    }

    /** Figures of two spans of time together. */
    EngineFigures with(final EngineFigures other)
    {
        return sum(other, 1);
    }

    /** Figures without those of a part of the time. */
    EngineFigures without(final EngineFigures part)
    {
        return sum(part, -1);
    }

    private EngineFigures sum(final EngineFigures other, final int sign)
    {
        final Map<String, RoleReport> sumOfRoles = new LinkedHashMap<>();
        roles.forEach((role) -> sumOfRoles.put(role.role(), role));
        other.roles.forEach((role) -> sumOfRoles.merge(role.role(),
            new RoleReport(role.role(), sign * role.busyNs(), sign * role.waitNs()), (a, b) ->
            new RoleReport(a.role(), a.busyNs() + b.busyNs(), a.waitNs() + b.waitNs())));
        final Map<String, WaitReport> sumOfWaits = new LinkedHashMap<>();
        waits.forEach((wait) -> sumOfWaits.put(key(wait), wait));
        other.waits.forEach((wait) -> sumOfWaits.merge(key(wait),
            new WaitReport(wait.call(), wait.rank(), wait.counter(), sign * wait.ns()), (a, b) ->
            new WaitReport(a.call(), a.rank(), a.counter(), a.ns() + b.ns())));
        final long[] perRank = waitNsPerRank.clone();
        Arrays.setAll(perRank, (rank) -> perRank[rank] + sign * other.waitNsPerRank[rank]);
        return new EngineFigures(
            dispatchScaleOutBytes + sign * other.dispatchScaleOutBytes,
            dispatchScaleUpBytes + sign * other.dispatchScaleUpBytes,
            combineScaleOutBytes + sign * other.combineScaleOutBytes,
            combineScaleUpBytes + sign * other.combineScaleUpBytes,
            List.copyOf(sumOfRoles.values()), perRank,
            sumOfWaits.values().stream().filter((wait) -> wait.ns() > 0).toList());
    }

    private static String key(final WaitReport wait)
    {
        return wait.call() + "/" + wait.rank() + "/" + wait.counter();
    }

    /**
     * Subtract.
     *
     * @param before of the earlier look.
     * @param after  of the later look, as many.
     * @return differences.
     */
    public static long[] between(final long[] before, final long[] after)
    {
        final long[] difference = after.clone();
        for (int i = 0; i < difference.length; i++)
        {
            difference[i] -= before[i];
        }

        return difference;
    }

    private static RoleReport since(final List<RoleTime> before, final RoleTime role)
    {
        long busyNs = role.busyNs();
        long waitNs = role.waitNs();
        for (final RoleTime other : before)
        {
            if (other.role().equals(role.role()))
            {
                busyNs -= other.busyNs();
                waitNs -= other.waitNs();
            }
        }

        return new RoleReport(role.role(), busyNs, waitNs);
    }

    private static WaitReport since(final List<PeerWait> before, final PeerWait wait)
    {
        long ns = wait.ns();
        for (final PeerWait other : before)
        {
            if (other.call().equals(wait.call()) && other.rank() == wait.rank() &&
                other.counter().equals(wait.counter()))
            {
                ns -= other.ns();
            }
        }

        return new WaitReport(wait.call(), wait.rank(), wait.counter(), ns);
    }
}
