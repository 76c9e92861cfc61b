/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.gate.Thorough;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.TransportConformance;
import dev.transload.tck.processes.ProcessesFixture;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;

/**
 * Ranks in processes of their own, which reach each other's device memory by keys. In each process some calls that give
 * something back fail, by the environment that the build sets.
 */
@Thorough("the same rules in one JVM, the checks of devices between processes, and nvlink's kit between processes")
class ProcessesConformanceIT extends TransportConformance
{
    private static final class Fixture extends ProcessesFixture
    {
        Fixture(final Map<String, String> options)
        {
            super(HccsTransportProvider.class, options);
        }

        @Override
        public int device(final MemoryKind kind, final int rank)
        {
            return kind.isHost() ? 0 : rank % Emulator.DEVICES;
        }
    }

    /** Nothing is left: the emulator's account lets no such process end well. */
    @AfterAll
    static void shouldEndInOrder()
    {
        assertEquals(List.of(), ProcessesFixture.endProcesses());
    }

    @Override
    public ConformanceFixture fixture(final int worldSize)
    {
        return new Fixture(Emulator.options());
    }
}
