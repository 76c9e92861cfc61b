/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaDriver;
import dev.transload.transport.nvlink.cuda.HostRegistrations;
import dev.transload.transport.nvlink.cuda.PinnedMemory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;

/** Host memory that devices address: what was allocated for them, and what was registered. */
class HostMemoryTest
{
    private static final int PAGE = 4096;
    private static final int ALLOCATIONS = 20;

    private final CudaDevice device = CudaDriver.open(Emulator.options().get("library")).device(0);

    @Test
    void shouldKnowWhatIsPageLocked()
    {
        final List<PinnedMemory> held = new ArrayList<>();
        final Random random = new Random(5);
        for (int i = 0; i < ALLOCATIONS; i++)
        {
            held.add(device.allocatePinned(PAGE * (1 + random.nextInt(3))));
        }

        while (!held.isEmpty())
        {
            for (final PinnedMemory memory : held)
            {
                assertTrue(PinnedMemory.holds(memory.address(), memory.length()));
                assertTrue(PinnedMemory.holds(memory.address() + memory.length() - 1, 1));
                assertFalse(PinnedMemory.holds(memory.address(), memory.length() + 1));
            }

            final PinnedMemory gone = held.remove(random.nextInt(held.size()));
            gone.close();
            assertFalse(PinnedMemory.holds(gone.address(), 1));
        }

        assertFalse(PinnedMemory.holds(1, 1));
    }

    @Test
    void shouldRegisterAsLongAsSomebodyUsesIt()
    {
        final HostRegistrations registrations = device.driver().registrations();
        final ByteBuffer memory = BufferUtil.allocateDirectAligned(4 * PAGE, PAGE);
        final long address = BufferUtil.address(memory);
        final HostRegistrations.Use first = registrations.acquire(device, address + 100, 2 * PAGE);
        assertNull(first.obstacle());
        assertTrue(device.isAddressable(address), "whole pages are registered");
        final HostRegistrations.Use second = registrations.acquire(device, address + PAGE, 8);
        assertNull(second.obstacle());
        final HostRegistrations.Use refused = registrations.acquire(device, address + PAGE, 3 * PAGE);
        assertNotNull(refused.obstacle(), "a part is registered already");
        refused.close();

        first.close();
        first.close();
        assertTrue(device.isAddressable(address + PAGE), "the second user is left");
        second.close();
        assertFalse(device.isAddressable(address + PAGE), "nobody is left");
    }

    @Test
    void shouldNotEndARegistrationThatAUseDidNotNeed()
    {
        final HostRegistrations registrations = device.driver().registrations();
        final ByteBuffer memory = BufferUtil.allocateDirectAligned(2 * PAGE, PAGE);
        final long address = BufferUtil.address(memory);
        assertNull(device.register(address, PAGE));
        final HostRegistrations.Use ofOthers = registrations.acquire(device, address, 8);
        assertNull(ofOthers.obstacle());
        device.unregister(address);
        final HostRegistrations.Use own = registrations.acquire(device, address, PAGE);
        assertNull(own.obstacle());

        ofOthers.close();
        assertTrue(device.isAddressable(address), "the other use goes on");
        own.close();
        assertFalse(device.isAddressable(address), "nobody is left");
    }
}
