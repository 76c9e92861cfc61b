/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.TransportConformance;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

class IpcMessagesConformanceTest extends TransportConformance
{
    @TempDir
    private static Path directory;

    private static MediaDriver driver;

    @BeforeAll
    static void startDriver()
    {
        driver = MediaDriver.launch(new MediaDriver.Context()
            .aeronDirectoryName(directory.resolve("aeron").toString())
            .threadingMode(ThreadingMode.SHARED)
            .dirDeleteOnShutdown(true)
            .ipcMtuLength(65504));
    }

    @AfterAll
    static void stopDriver()
    {
        driver.close();
    }

    @Override
    public ConformanceFixture fixture(final int worldSize)
    {
        return new AeronFixture(options());
    }

    /** Of the driver of the test, which outlives killed ranks. */
    static Map<String, String> options()
    {
        return Map.of("data-path", "messages", "aeron-dir", driver.aeronDirectoryName());
    }
}
