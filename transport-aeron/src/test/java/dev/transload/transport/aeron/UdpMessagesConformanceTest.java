/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.TransportConformance;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

class UdpMessagesConformanceTest extends TransportConformance
{
    @TempDir
    private static Path drivers;

    @Override
    public ConformanceFixture fixture(final int worldSize)
    {
        return new AeronFixture(Map.of("data-path", "messages", "driver-directory", drivers.toString()));
    }
}
