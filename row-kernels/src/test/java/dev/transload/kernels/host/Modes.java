/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.spi.MemoryKind;
import java.util.Map;
import java.util.ServiceLoader;

/** Opens kernels as a user would, once for each arithmetic that this JVM has. */
final class Modes
{
    private Modes()
    {
    }

    static String[] offered()
    {
        return ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent() ?
            new String[]{"scalar", "vector"} : new String[]{"scalar"};
    }

    static RowKernels open(final String mode)
    {
        return provider().open(0, Map.of("mode", mode));
    }

    static RowKernelsProvider provider()
    {
        return ServiceLoader.load(RowKernelsProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter((provider) -> MemoryKind.HOST.equals(provider.kind()))
            .findFirst()
            .orElseThrow();
    }
}
