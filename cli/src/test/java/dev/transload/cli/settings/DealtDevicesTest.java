/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.settings;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.transload.engine.EngineConfig;
import dev.transload.gate.BrokenProvider;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.spi.MemoryKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What ranks of one host get. */
class DealtDevicesTest
{
    @TempDir
    private Path folder;

    @Test
    void shouldFindKernelsBehindAProviderThatIsBroken() throws IOException
    {
        final DealtDevices devices = new DealtDevices(List.of(), EngineConfig.builder().build());
        try (RowKernels kernels = BrokenProvider.ahead(
            folder, RowKernelsProvider.class, () -> devices.kernels(MemoryKind.HOST, 0)))
        {
            assertNotNull(kernels);
        }
    }
}
