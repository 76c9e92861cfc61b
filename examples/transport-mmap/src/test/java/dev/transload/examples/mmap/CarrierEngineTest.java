/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.mmap;

import dev.transload.spi.TransportRegistry;
import java.util.List;

/** The same world over a transport whose operations are done later. */
class CarrierEngineTest extends MmapEngineTest
{
    @Override
    String settings()
    {
        return "scale-out.transport = carrier, scale-up.transport = carrier, " +
            "carrier.queue-depth = 8, carrier.rate = 100000000";
    }

    @Override
    TransportRegistry registry()
    {
        return TransportRegistry.of(List.of(new CarrierTransportProvider()));
    }
}
