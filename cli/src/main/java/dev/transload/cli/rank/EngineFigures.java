/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.cli.rank.RankReport.RoleReport;
import dev.transload.cli.rank.RankReport.WaitReport;
import dev.transload.engine.EngineStatistics;
import dev.transload.engine.PeerWait;
import dev.transload.engine.RoleTime;
import java.util.List;

/**
 * What an engine counted between two looks at its statistics, which are cumulative.
 *
 * @param dispatchScaleOutBytes that dispatches put to other nodes.
 * @param dispatchScaleUpBytes  that dispatches put within the node.
 * @param combineScaleOutBytes  that combines put to other nodes.
 * @param combineScaleUpBytes   that combines put within the node.
 * @param roles                 time of each kind of role.
 * @param waitNsPerRank         by source rank.
 * @param waits                 time in which engine threads stood still; none that is zero.
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
    /**
     * Subtract.
     *
     * @param before the earlier look.
     * @param after  the later look.
     * @return figures.
     */
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
