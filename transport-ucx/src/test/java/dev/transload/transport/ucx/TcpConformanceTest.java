/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.TransportConformance;
import java.util.Map;

/** Sockets: every operation goes by UCX, and the owner of the memory carries it out. */
@NeedsUcx
class TcpConformanceTest extends TransportConformance
{
    @Override
    public ConformanceFixture fixture(final int worldSize)
    {
        return new UcxFixture(Map.of("tls", "tcp"));
    }
}
