/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.run;

import static dev.transload.cli.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.settings.Settings;
import dev.transload.rendezvous.LaunchEnvironment;
import dev.transload.rendezvous.RendezvousException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The world as options choose it, and as a launcher tells it. */
class WorldSettingsTest
{
    private static final String NODES = WorldSettings.NODES;
    private static final String RANKS = WorldSettings.RANKS_PER_NODE;
    private static final Map<String, String> SLURM =
        Map.of("SLURM_PROCID", "9", "SLURM_NTASKS", "20", "SLURM_TASKS_PER_NODE", "8(x2),4");
    private static final Map<String, String> OPEN_MPI = Map.of("OMPI_COMM_WORLD_RANK", "9", "OMPI_COMM_WORLD_SIZE",
        "20", "OMPI_COMM_WORLD_LOCAL_RANK", "1", "OMPI_COMM_WORLD_LOCAL_SIZE", "8");

    private static List<Integer> ranks(final Map<String, String> options, final Map<String, String> environment)
    {
        return WorldSettings.of(Settings.load(null, options, Map.of(), Map.of()),
            LaunchEnvironment.detect(environment)).engine().world().ranksOfNodes();
    }

    @Test
    void shouldBeTwoByTwoUnlessChosen()
    {
        assertEquals(List.of(2, 2), ranks(Map.of(), Map.of()));
        assertEquals(List.of(3, 3), ranks(Map.of(RANKS, "3"), Map.of()));
        assertEquals(List.of(2, 2, 2), ranks(Map.of(NODES, "3"), Map.of()));
        assertEquals(List.of(3, 2, 1), ranks(Map.of(RANKS, "3,2,1"), Map.of()));
        assertEquals(List.of(3, 1), ranks(Map.of(NODES, "2", RANKS, "3,1"), Map.of()));
    }

    @Test
    void shouldBeWhatSlurmSaysOfNodesThatDiffer()
    {
        assertEquals(List.of(8, 8, 4), ranks(Map.of(), SLURM));
        assertEquals(List.of(8, 8, 4), ranks(Map.of(RANKS, "8,8,4"), SLURM));
        assertEquals(List.of(4, 4, 4, 4, 4), ranks(Map.of(RANKS, "4"), SLURM));
        assertEquals(List.of(10, 10), ranks(Map.of(NODES, "2"), SLURM));
        assertRefused(ExitCodes.BAD_INPUT, () -> ranks(Map.of(RANKS, "8,8"), SLURM),
            "a world of 2 nodes x 8 ranks needs 16 ranks, but Slurm says rank 9 of 20, local rank 1 of 8 on its node");
        assertRefused(ExitCodes.BAD_INPUT, () -> ranks(Map.of(RANKS, "8"), SLURM), "needs 24 ranks");
    }

    @Test
    void shouldAskForTheRanksOfNodesThatNobodyTells()
    {
        final String refusal =
            assertThrows(RendezvousException.class, () -> ranks(Map.of(), OPEN_MPI)).getMessage();
        assertTrue(refusal.contains("set TRANSLOAD_RANKS_PER_NODE to those of all nodes, e.g. 8,8,4"), refusal);
        assertEquals(List.of(8, 8, 4), ranks(Map.of(RANKS, "8,8,4"), OPEN_MPI));
    }
}
