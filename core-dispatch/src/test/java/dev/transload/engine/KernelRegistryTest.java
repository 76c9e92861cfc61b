/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.transload.gate.BrokenProvider;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportUnavailableException;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Row kernels are found on a class path where another provider of them is broken. */
class KernelRegistryTest
{
    private static final EngineConfig CONFIG = EngineConfig.builder().build();

    @TempDir
    private Path folder;

    private KernelRegistry beyondABrokenProvider() throws IOException
    {
        return BrokenProvider.ahead(folder, RowKernelsProvider.class, KernelRegistry::discover);
    }

    @Test
    void shouldFindKernelsBehindAProviderThatIsBroken() throws IOException
    {
        final KernelRegistry kernels = beyondABrokenProvider();
        kernels.open(CONFIG, MemoryKind.HOST, 0).close();
        assertEquals(HostRowKernelsProvider.class,
            kernels.available(CONFIG, MemoryKind.HOST).orElseThrow().getClass());
    }

    @ParameterizedTest
    @CsvSource({
        // nodes, channels, threads, threads of roles -> threads that launch kernels at the same time
        "1, 4, 4, [], 4", "1, 4, 2, [], 2", "1, 4, 0, [], 1", "1, 1, 4, [], 1", "2, 4, 4, [], 4", "2, 1, 5, [], 3",
        "1, 4, 11, '[2, 1, 4, 1, 3]', 4", "2, 4, 11, '[2, 1, 4, 1, 3]', 9", "2, 2, 11, '[2, 1, 4, 1, 3]', 6" })
    void shouldDivideDevicesAmongThreadsThatLaunchAtTheSameTime(
        final int nodes, final int channels, final int threads, final String roles, final int launching)
    {
        final EngineConfig config = EngineConfig.from(ConfigFactory.parseString("transload { nodes = " + nodes +
            ", ranks-per-node = 2, channels = " + channels + ", threads { count = " + threads + ", roles = " + roles +
            " }}"));
        assertEquals(launching, KernelRegistry.launching(config));
    }

    /** It may be the one that is missing. */
    @Test
    void shouldNameTheBrokenProviderWhereKernelsAreMissing() throws IOException
    {
        final KernelRegistry kernels = beyondABrokenProvider();
        assertTrue(kernels.available(CONFIG, MemoryKind.CUDA).isEmpty());
        Messages.assertRefused(TransportUnavailableException.class, () -> kernels.open(CONFIG, MemoryKind.CUDA, 0),
            "no row kernels for CUDA memory are on the class path", "; a provider is refused: ",
            BrokenProvider.MISSING + " not found");
    }
}
