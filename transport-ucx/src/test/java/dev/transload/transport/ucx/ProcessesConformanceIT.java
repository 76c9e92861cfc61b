/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.TransportConformance;
import dev.transload.tck.processes.ProcessesFixture;
import java.util.Map;
import org.junit.jupiter.api.Nested;

/** The kit with a process for each rank. */
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
    class Sysv extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            return new ProcessesFixture(UcxTransportProvider.class, Map.of("tls", "sysv,self"));
        }
    }

    /** Sockets. */
    @Nested
    class Tcp extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            return new ProcessesFixture(UcxTransportProvider.class, Map.of("tls", "tcp"));
        }
    }

    /** What UCX chooses by itself on this host. */
    @Nested
    class Default extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            return new ProcessesFixture(UcxTransportProvider.class, Map.of());
        }
    }

    /** POSIX shared memory, written by UCX. */
    @Nested
    class NeverDirect extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            return new ProcessesFixture(UcxTransportProvider.class, Map.of("tls", "posix,self", "direct", "never"));
        }
    }
}
