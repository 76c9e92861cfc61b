/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.transport.base.AddressView;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaDriver;
import dev.transload.transport.nvlink.cuda.CudaStream;
import dev.transload.transport.nvlink.cuda.PinnedMemory;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** The driver's emulator that the build made for these tests. */
final class Emulator
{
    /** Devices that it shows unless its environment says otherwise. */
    static final int DEVICES = 2;

    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
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
    static CudaDevice device(final int ordinal)
    {
        return CudaDriver.open(options().get("library")).device(ordinal);
    }

    /** Memory of a device as that device sees it. */
    static byte[] bytes(final int ordinal, final long address, final int length)
    {
        final CudaDevice device = device(ordinal);
        try (CudaStream stream = device.openStream(); PinnedMemory pinned = device.allocatePinned(length))
        {
            assertEquals(0, stream.await(stream.copy(pinned.address(), address, length), TIMEOUT_NS));
            final byte[] bytes = new byte[length];
            AddressView.of(pinned.address(), length).get(bytes);
            return bytes;
        }
    }

    /** The same, and one more. */
    static Map<String, String> options(final String key, final String value)
    {
        final Map<String, String> options = new HashMap<>(options());
        options.put(key, value);
        return options;
    }
}
