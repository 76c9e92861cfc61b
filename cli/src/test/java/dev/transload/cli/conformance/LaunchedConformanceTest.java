/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.conformance;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.rendezvous.LaunchEnvironment;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LaunchedConformanceTest
{
    private static Optional<LaunchEnvironment> mpirun(final int rank, final int ranks)
    {
        return LaunchEnvironment.detect(Map.of("OMPI_COMM_WORLD_RANK", String.valueOf(rank), "OMPI_COMM_WORLD_SIZE",
            String.valueOf(ranks), "OMPI_COMM_WORLD_LOCAL_RANK", String.valueOf(rank),
            "OMPI_COMM_WORLD_LOCAL_SIZE", String.valueOf(ranks)));
    }

    @Test
    void shouldRefuseToBeOneOfSeveralRanks()
    {
        final CommandException refusal =
            assertThrows(CommandException.class, () -> ConformanceCommand.refuseRanks(mpirun(1, 2)));
        assertEquals(ExitCodes.BAD_INPUT, refusal.exitCode());
        assertEquals("conformance checks one host and starts the ranks itself, but Open MPI says rank 1 of 2, local " +
            "rank 1 of 2 on its node: start one process on each host to check, e.g. with mpirun -np 1 or srun -n 1",
            refusal.getMessage());
    }

    @Test
    void shouldCheckAsTheOnlyRank()
    {
        assertDoesNotThrow(() -> ConformanceCommand.refuseRanks(mpirun(0, 1)));
        assertDoesNotThrow(() -> ConformanceCommand.refuseRanks(Optional.empty()));
    }
}
