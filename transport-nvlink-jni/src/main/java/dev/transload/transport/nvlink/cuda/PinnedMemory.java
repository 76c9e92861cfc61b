/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.agrona.UnsafeApi;

/** Page-locked memory of the host, at one address for the CPU and all devices. */
public final class PinnedMemory implements AutoCloseable
{
    private static final ConcurrentSkipListMap<Long, Long> LENGTHS = new ConcurrentSkipListMap<>();

    private final CudaDevice device;
    private final long address;
    private final long length;
    private boolean isOpen = true;

    private PinnedMemory(final CudaDevice device, final long address, final long length)
    {
        this.device = device;
        this.address = address;
        this.length = length;
    }

    static PinnedMemory allocate(final CudaDevice device, final long length)
    {
        final long address = device.value("cuMemHostAlloc",
            CudaCalls.hostAlloc(device.context(), length, CudaCalls.HOST_PORTABLE_MAPPED));
        UnsafeApi.setMemory(address, length, (byte)0);
        LENGTHS.put(address, length);
        return new PinnedMemory(device, address, length);
    }

    /**
     * Whether memory was allocated here, so that devices may read it.
     *
     * @param address of the first byte.
     * @param length  in bytes.
     * @return true when all of it is within one allocation of this process.
     */
    public static boolean holds(final long address, final long length)
    {
        final Map.Entry<Long, Long> allocation = LENGTHS.floorEntry(address);
        return null != allocation && address + length <= allocation.getKey() + allocation.getValue();
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
            isOpen = false;
            LENGTHS.remove(address);
            if (!device.isGivenUp())
            {
                device.check("cuMemFreeHost", CudaCalls.hostFree(device.context(), address));
            }
        }
    }
}
