/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.TransportConformance;
import dev.transload.tck.processes.ProcessesFixture;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The kit with a process for each rank; messages go by the driver of the test, which outlives killed ranks. */
class MessagesProcessesConformanceIT extends TransportConformance
{
    @TempDir
    private static Path directory;

    private static MediaDriver driver;

    @Override
    public ConformanceFixture fixture(final int worldSize)
    {
        return new ProcessesFixture(AeronTransportProvider.class,
            Map.of("data-path", "messages", "aeron-dir", driver.aeronDirectoryName()));
    }

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
}
