/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import java.util.Map;
import java.util.TreeMap;

/**
 * Host memory registered with the driver so that devices can access it. Whole pages are registered for as long as this
 * process uses memory in them.
 */
public final class HostRegistrations
{
    private static final long PAGE = 4096;

    private final TreeMap<Long, Pages> pages = new TreeMap<>();

    HostRegistrations()
    {
        // Of the driver, since all devices and all users of a process share them.
    }

    /**
     * Makes memory accessible to all devices.
     *
     * @param device  device that requests access.
     * @param address address of the first byte.
     * @param length  length in bytes, at least 1.
     * @return null if successful; the caller must then call {@link #release} to end the use. Otherwise the reason for
     *         the failure.
     */
    public synchronized String acquire(final CudaDevice device, final long address, final long length)
    {
        final Map.Entry<Long, Pages> known = covering(address, length);
        if (null != known)
        {
            known.getValue().users++;
            return null;
        }

        final long first = address & -PAGE;
        final long end = address + length + PAGE - 1 & -PAGE;
        final String obstacle = device.register(first, end - first);
        if (null == obstacle)
        {
            pages.put(first, new Pages(end));
            return null;
        }

        // Somebody else's registration or allocation serves as well, as long as it covers all of it.
        return device.isAddressable(address) && device.isAddressable(address + length - 1) ? null : obstacle;
    }

    /** Ends the use of memory. No work on the memory may be running. */
    public synchronized void release(final CudaDevice device, final long address, final long length)
    {
        final Map.Entry<Long, Pages> known = covering(address, length);
        if (null != known && 0 == --known.getValue().users)
        {
            pages.remove(known.getKey());
            device.unregister(known.getKey());
        }
    }

    private Map.Entry<Long, Pages> covering(final long address, final long length)
    {
        final Map.Entry<Long, Pages> before = pages.floorEntry(address);
        return null == before || address + length > before.getValue().end ? null : before;
    }

    /** Pages up to an end, registered by one call. */
    private static final class Pages
    {
        private final long end;
        private int users = 1;

        private Pages(final long end)
        {
            this.end = end;
        }
    }
}
