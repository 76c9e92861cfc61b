/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.transport.base.AddressView;
import dev.transload.transport.base.HeapMemory;
import dev.transload.transport.base.RegionMemory;
import dev.transload.transport.ucx.internal.ucp.UcpCalls;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import org.openucx.jucx.ucp.UcpMemory;

/**
 * Memory that UCX knows: allocated by it, so that peers of this host can map it, or only registered with it, as all
 * memory of a device is.
 */
final class UcxMemory implements RegionMemory
{
    /** Host memory in UCX's numbering. */
    static final int HOST = UcpCalls.MEMORY_TYPE_HOST;

    private final UcxDevice device;
    private final UcpMemory registration;
    private final LongConsumer owner;
    private final RetiredMemory retired;
    private final long handle;
    private final long address;
    private final int type;
    private final int setup;

    private UcxMemory(
        final UcxDevice device,
        final UcpMemory registration,
        final LongConsumer owner,
        final RetiredMemory retired,
        final long address,
        final int type,
        final int setup)
    {
        this.device = device;
        this.registration = registration;
        this.owner = owner;
        this.retired = retired;
        this.handle = registration.getNativeId();
        this.address = address;
        this.type = type;
        this.setup = setup;
    }

    private UcxMemory(final long address)
    {
        this.device = UcxDevice.NONE;
        this.registration = null;
        this.owner = null;
        this.retired = null;
        this.handle = 0;
        this.address = address;
        this.type = HOST;
        this.setup = UcxContext.UNKNOWN;
    }

    /** Memory of a peer where this process sees it; nothing is registered, nothing to be freed. */
    static UcxMemory inPlace(final long address)
    {
        return new UcxMemory(address);
    }

    /** Memory that its owner keeps while it is registered: UCX may know it as part of what it had registered before. */
    static UcxMemory registered(
        final UcxDevice device, final UcpMemory registration, final long address, final int type, final int setup)
    {
        return new UcxMemory(device, registration, null, null, address, type, setup);
    }

    /** Memory that UCX has allocated. */
    static UcxMemory allocated(
        final UcxDevice device, final UcpMemory registration, final RetiredMemory retired, final int setup)
    {
        return new UcxMemory(device, registration, null, retired, registration.getAddress(), HOST, setup);
    }

    /** Memory of this process that goes with its registration. */
    static UcxMemory of(
        final UcxDevice device, final UcpMemory registration, final HeapMemory heap, final int setup)
    {
        return new UcxMemory(device, registration, (address) -> heap.free(), null, heap.address(), HOST, setup);
    }

    /** Memory that was allocated on the device and goes with its registration. */
    static UcxMemory onDevice(
        final UcxDevice device,
        final UcpMemory registration,
        final RetiredMemory retired,
        final long address,
        final int setup)
    {
        return new UcxMemory(device, registration, device::free, retired, address, UcpCalls.MEMORY_TYPE_CUDA, setup);
    }

    @Override
    public long address()
    {
        return address;
    }

    @Override
    public ByteBuffer view(final long offset, final int length)
    {
        return AddressView.of(address + offset, length);
    }

    @Override
    public ByteBuffer key()
    {
        return memoryKey().encode();
    }

    @Override
    public void free()
    {
        if (null == registration || null != retired && retired.keep(this))
        {
            return;
        }

        // Memory of the host may be registered with the device, too.
        device.bind();
        registration.deregister();
        if (null != owner)
        {
            owner.accept(address);
        }
    }

    /** Of the registration ({@code ucp_mem_h}). */
    long handle()
    {
        return handle;
    }

    /** UCX's number of the kind of memory, for operations on it. */
    int type()
    {
        return isHost() ? HOST : device.type();
    }

    /** Whether the CPU may be given its addresses. */
    boolean isHost()
    {
        return HOST == type;
    }

    /** What peers need to address it. */
    MemoryKey memoryKey()
    {
        device.bind();
        return new MemoryKey(address, type, setup, registration.getRemoteKeyBuffer());
    }
}
