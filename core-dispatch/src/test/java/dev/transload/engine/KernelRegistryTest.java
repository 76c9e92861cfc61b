/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.gate.BrokenProvider;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportUnavailableException;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
