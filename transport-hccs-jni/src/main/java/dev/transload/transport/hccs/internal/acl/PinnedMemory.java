/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.acl;

import org.agrona.UnsafeApi;

/** Page-locked memory of the host, which the CPU addresses and a device copies from and to. */
public final class PinnedMemory implements AutoCloseable
{
    private final AclDevice device;
    private final long address;
    private final long length;
    private boolean isOpen = true;

    private PinnedMemory(final AclDevice device, final long address, final long length)
    {
        this.device = device;
        this.address = address;
        this.length = length;
    }

    static PinnedMemory allocate(final AclDevice device, final long length)
    {
        final long address = device.value(AclCalls.mallocHost(device.ordinal(), length));
        UnsafeApi.setMemory(address, length, (byte)0);
        return new PinnedMemory(device, address, length);
    }

    /**
     * Where it begins.
     *
     * @return address of the first byte.
     */
    public long address()
    {
        return address;
    }

    /**
     * Size.
     *
     * @return bytes.
     */
    public long length()
    {
        return length;
    }

    @Override
    public synchronized void close()
    {
        if (isOpen)
        {
            device.check(AclCalls.freeHost(device.ordinal(), address));
            isOpen = false;
        }
    }
}
