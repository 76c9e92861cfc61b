/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.mmap;

import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.TransportConformance;
import dev.transload.tck.processes.ProcessesFixture;
import java.util.Map;

/** The conformance kit with a process for each rank. */
class MmapProcessesIT extends TransportConformance
{
    @Override
    public ConformanceFixture fixture(final int worldSize)
    {
        return new ProcessesFixture(MmapTransportProvider.class, Map.of());
    }
}
