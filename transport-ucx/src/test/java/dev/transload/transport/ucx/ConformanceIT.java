/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.gate.Thorough;
import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.TransportConformance;
import java.util.Map;
import org.junit.jupiter.api.Nested;

/** The kit in one JVM with the settings that the unit tests leave out. */
@NeedsUcx
@Thorough("PosixConformanceTest, TcpConformanceTest and JnaConformanceTest run the same rules in the gate")
class ConformanceIT
{
    /** Memory of the same host, of the other kind. */
    @Nested
    class Sysv extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            return new UcxFixture(Map.of("tls", "sysv,self"));
        }
    }

    /** What UCX chooses by itself on this host. */
    @Nested
    class Default extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            return new UcxFixture(Map.of());
        }
    }

    /** Shared memory, written by UCX. */
    @Nested
    class NeverDirect extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            return new UcxFixture(Map.of("tls", "posix,self", "direct", "never"));
        }
    }

    /** Data directly, adds by UCX: fences join the two. */
    @Nested
    class AtomicsByUcx extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            return new UcxFixture(Map.of("tls", "posix,self", "atomics", "ucx"));
        }
    }

    /** Sockets with a UCX that does not add there: signals are written. */
    @Nested
    class WithoutAdds extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            return new UcxFixture(Map.of("tls", "tcp", "atomics", "none"));
        }
    }

    /** Memory of two kinds: that of the host is written directly, that of a stand-in for a GPU by UCX. */
    @Nested
    class Device extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            return new UcxFixture(Map.of("tls", "posix,self", "device", "0"));
        }
    }

    /** A stand-in for a GPU that sees what cards wrote only after a read through the card. */
    @Nested
    class DeviceReadBack extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            return new UcxFixture(Map.of("tls", "tcp", "device", "0", "device-library", StandInRuntime.UNKNOWN));
        }
    }

    /** As on a machine without a C compiler. */
    @Nested
    class Jna extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            return new UcxFixture(Map.of("tls", "tcp", "calls", "jna"));
        }
    }
}
