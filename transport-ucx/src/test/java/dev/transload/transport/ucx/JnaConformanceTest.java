/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.TransportConformance;
import java.util.Map;

/** As on a machine without a C compiler, and with every operation by UCX: nothing is written directly. */
@NeedsUcx
class JnaConformanceTest extends TransportConformance
{
    @Override
    public ConformanceFixture fixture(final int worldSize)
    {
        return new UcxFixture(Map.of("tls", "posix,self", "direct", "never", "calls", "jna"));
    }
}
