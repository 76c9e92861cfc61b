/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.gate.Thorough;
import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.TransportConformance;
import dev.transload.tck.processes.ProcessesFixture;
import java.util.Map;
import org.junit.jupiter.api.Nested;

/** The kit with a process for each rank; {@link TcpProcessesConformanceIT} has sockets. */
@NeedsUcx
class ProcessesConformanceIT
{
    /** POSIX shared memory. */
    @Nested
    class Posix extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            return new ProcessesFixture(UcxTransportProvider.class, Map.of("tls", "posix,self"));
        }
    }

    /** System V shared memory. */
    @Nested
    @Thorough("Posix moves bytes the same way")
    class Sysv extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            return new ProcessesFixture(UcxTransportProvider.class, Map.of("tls", "sysv,self"));
        }
    }

    /** What UCX chooses by itself on this host. */
    @Nested
    @Thorough("Posix and TcpProcessesConformanceIT have what UCX chooses on one host")
    class Default extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            return new ProcessesFixture(UcxTransportProvider.class, Map.of());
        }
    }

    /** Memory of a stand-in for a GPU besides, which UCX writes. */
    @Nested
    @Thorough("DeviceMemoryTest has memory of both kinds, Posix shared memory between processes")
    class Device extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            return new ProcessesFixture(UcxTransportProvider.class, Map.of("tls", "posix,self", "device", "0"));
        }
    }

    /** POSIX shared memory, written by UCX. */
    @Nested
    @Thorough("TcpConformanceTest has puts by UCX, Posix shared memory between processes")
    class NeverDirect extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            return new ProcessesFixture(UcxTransportProvider.class, Map.of("tls", "posix,self", "direct", "never"));
        }
    }
}
