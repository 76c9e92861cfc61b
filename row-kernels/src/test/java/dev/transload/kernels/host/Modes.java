/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.spi.MemoryKind;
import java.util.ArrayList;
import java.util.List;
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
        final List<String> modes = new ArrayList<>(List.of("scalar"));
        if (haveVectors())
        {
            modes.add("vector");
        }

        if (null == NativeKernels.unavailableBecause())
        {
            modes.add("native");
        }

        return modes.toArray(String[]::new);
    }

    static boolean haveVectors()
    {
        return ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
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
