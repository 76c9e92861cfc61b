/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.DeviceRuntime;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.RuntimeDevice;
import dev.transload.spi.RuntimeDevice.WriteOrder;
import dev.transload.spi.TransportUnavailableException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** GPUs for the libraries of other transports. */
class CudaRuntimeTest
{
    private static final int LENGTH = 3 << 20;

    private static DeviceRuntime runtime()
    {
        final List<DeviceRuntime> found = DeviceRuntime.discover();
        assertEquals(List.of(MemoryKind.CUDA), found.stream().map(DeviceRuntime::kind).toList());
        assertEquals("nvlink", found.get(0).section());
        return found.get(0);
    }

    @Test
    void shouldAllocateZeroesOfADevice()
    {
        final RuntimeDevice device = runtime().open(Emulator.options().get("library"), 1);
        assertEquals(1, device.ordinal());
        assertFalse(device.isHostAddressable(), "the emulator keeps the CPU out");
        assertTrue(device.isEmulated(), "libraries that know hardware must be told");
        device.bind();
        final long address = device.allocate(LENGTH);
        assertArrayEquals(new byte[LENGTH], Emulator.bytes(1, address, LENGTH));
        device.requireOwn(address, LENGTH);
        assertThrows(IllegalArgumentException.class, () -> device.requireOwn(address, 5 << 20));
        assertThrows(IllegalArgumentException.class,
            () -> runtime().open(Emulator.options().get("library"), 0).requireOwn(address, 1));
        assertEquals(WriteOrder.ORDERED, device.writeOrder());
        device.flushWrites();
        device.free(address);
        assertThrows(IllegalArgumentException.class, () -> device.requireOwn(address, 1));
    }

    @Test
    void shouldTakeTheDriverThatTheProcessUses()
    {
        final String library = Emulator.options().get("library");
        assertEquals(runtime().open(library, 0).describe(), runtime().open("", 0).describe());
    }

    @Test
    void shouldRefuseADeviceThatIsNotThere()
    {
        final String library = Emulator.options().get("library");
        final TransportUnavailableException refusal = assertThrows(
            TransportUnavailableException.class, () -> runtime().open(library, Emulator.DEVICES));
        assertTrue(refusal.getMessage().startsWith("there is no device 2"), refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"0, 0, UNKNOWN", "0, 2, UNKNOWN", "0, 1, FLUSHED", "0, 3, FLUSHED",
        "100, 0, ORDERED", "200, 1, ORDERED"})
    void shouldGoByWhatTheDriverSaysOfWritesOfCards(final int ordering, final int options, final WriteOrder order)
    {
        assertEquals(order, CudaRuntime.order(ordering, options));
    }
}
