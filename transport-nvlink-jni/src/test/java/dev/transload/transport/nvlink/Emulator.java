/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaDriver;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** The driver's emulator that the build made for these tests. */
public final class Emulator
{
    /** Devices that it shows unless its environment says otherwise. */
    static final int DEVICES = 2;

    private static final Path LIBRARY =
        Path.of("target", "emulator", "libcuda_emulator.so").toAbsolutePath();

    private Emulator()
    {
    }

    /** Options that make a transport use it. */
    static Map<String, String> options()
    {
        Assumptions.assumeTrue(Files.exists(LIBRARY), "the emulator was not built: there is no C compiler");
        return Map.of("library", LIBRARY.toString());
    }

    /** A device of it in this process. */
    public static CudaDevice device(final int ordinal)
    {
        return CudaDriver.open(options().get("library")).device(ordinal);
    }

    /** Memory of a device as that device sees it. */
    static byte[] bytes(final int ordinal, final long address, final int length)
    {
        return MappedMemory.read(device(ordinal), address, length);
    }

    /** Memory of a device as frameworks map it. */
    static MappedMemory mapped(final int device, final int pieces, final boolean isExportable)
    {
        return new MappedMemory(options().get("library"),
            LIBRARY.resolveSibling("rules").resolve("libmapped_memory.so"), device, pieces, isExportable);
    }

    /** Stop the kernels of a device where they next look at the time, or let them go on. */
    static void stopKernels(final int device, final boolean isStopped)
    {
        StoppedKernels.set(options().get("library"),
            LIBRARY.resolveSibling("rules").resolve("libstopped_kernels.so"), device, isStopped);
    }

    /** {@link #options()}, and one more. */
    static Map<String, String> options(final String key, final String value)
    {
        final Map<String, String> options = new HashMap<>(options());
        options.put(key, value);
        return options;
    }
}
