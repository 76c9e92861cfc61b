/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.mmap;

import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.InProcessFixture;
import dev.transload.tck.TransportConformance;
import java.util.Map;

/** The conformance kit with all ranks in this JVM. */
class MmapConformanceTest extends TransportConformance
{
    @Override
    public ConformanceFixture fixture(final int worldSize)
    {
        return new InProcessFixture(
            new MmapTransportProvider(), Map.of(), (transport) -> ((MmapTransport)transport).halt());
    }
}
