/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.mmap;

import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.InProcessFixture;
import dev.transload.tck.TransportConformance;
import java.util.Map;

/** The conformance kit with a queue so small, and a link so slow, that operations are often refused. */
class CarrierConformanceTest extends TransportConformance
{
    @Override
    public ConformanceFixture fixture(final int worldSize)
    {
        return new InProcessFixture(new CarrierTransportProvider(),
            Map.of("queue-depth", "8", "rate", "100000000"), (transport) -> ((MmapTransport)transport).halt());
    }
}
