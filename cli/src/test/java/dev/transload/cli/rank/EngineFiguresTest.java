/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.cli.rank.RankReport.RoleReport;
import dev.transload.cli.rank.RankReport.WaitReport;
import dev.transload.engine.EngineStatistics;
import dev.transload.engine.PeerWait;
import dev.transload.engine.RoleTime;
import java.util.List;
import org.junit.jupiter.api.Test;

class EngineFiguresTest
{
    private static final PeerWait EARLY = new PeerWait("dispatch", 1, "scale-out.tail", 50, 2);
    private static final PeerWait LATE = new PeerWait("combine", 1, "scale-out.tail", 7, 1);

    @Test
    void shouldTellWhatCameBetweenTwoLooks()
    {
        final EngineFigures figures = EngineFigures.between(
            statistics(10, List.of(new RoleTime("sender", null, 5, 6)), List.of(EARLY)),
            statistics(25, List.of(new RoleTime("receiver", null, 3, 4), new RoleTime("sender", null, 15, 26)),
            List.of(LATE, new PeerWait("dispatch", 0, "scale-out.tail", 9, 1), EARLY)));

        assertEquals(15, figures.dispatchScaleOutBytes());
        assertEquals(30, figures.dispatchScaleUpBytes());
        assertEquals(45, figures.combineScaleOutBytes());
        assertEquals(60, figures.combineScaleUpBytes());
        assertEquals(List.of(new RoleReport("receiver", 3, 4), new RoleReport("sender", 10, 20)), figures.roles());
        assertArrayEquals(new long[]{ 0, 15 }, figures.waitNsPerRank());
        assertEquals(List.of(new WaitReport("combine", 1, "scale-out.tail", 7),
            new WaitReport("dispatch", 0, "scale-out.tail", 9)), figures.waits());
    }

    private static EngineStatistics statistics(
        final long bytes, final List<RoleTime> roles, final List<PeerWait> waits)
    {
        return new EngineStatistics(1, bytes, 2 * bytes, 3 * bytes, 4 * bytes, 0, new long[0],
            new long[]{ 0, bytes }, roles, List.of(), List.of(), waits);
    }
}
