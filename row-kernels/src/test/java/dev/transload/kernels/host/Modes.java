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
    private static final String AARCH64 = "aarch64";

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

    /** Those, and the native library for aarch64, whose tests are skipped where it cannot be run. */
    static String[] withAarch64()
    {
        final List<String> modes = new ArrayList<>(List.of(offered()));
        modes.add(AARCH64);
        return modes.toArray(String[]::new);
    }

    /** Random runs of a test: an emulated processor has fewer. */
    static int share(final String mode, final int runs)
    {
        return AARCH64.equals(mode) ? runs / 10 : runs;
    }

    static boolean haveVectors()
    {
        return ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
    }

    static RowKernels open(final String mode)
    {
        return AARCH64.equals(mode) ? new HostRowKernels(Aarch64Arithmetic.open()) :
            provider().open(0, Map.of("mode", mode));
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
