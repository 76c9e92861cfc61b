/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.gate.Thorough;
import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.TransportConformance;
import dev.transload.tck.processes.ProcessesFixture;
import java.util.Map;

/** The kit with a process for each rank, over sockets. */
@NeedsUcx
@Thorough("TcpConformanceTest has the kit over sockets, ProcessesConformanceIT between processes")
class TcpProcessesConformanceIT extends TransportConformance
{
    @Override
    public ConformanceFixture fixture(final int worldSize)
    {
        return new ProcessesFixture(UcxTransportProvider.class, Map.of("tls", "tcp"));
    }
}
