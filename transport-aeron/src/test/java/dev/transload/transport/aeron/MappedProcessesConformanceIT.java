/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.TransportConformance;
import dev.transload.tck.processes.ProcessesFixture;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

/** The kit with a process for each rank, which map each other's memory; their drivers carry control messages only. */
class MappedProcessesConformanceIT extends TransportConformance
{
    @TempDir
    private static Path directory;

    @Override
    public ConformanceFixture fixture(final int worldSize)
    {
        return new ProcessesFixture(AeronTransportProvider.class,
            Map.of("data-path", "mapped", "driver-directory", directory.toString()));
    }
}
