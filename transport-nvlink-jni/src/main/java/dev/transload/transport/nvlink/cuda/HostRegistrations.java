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
    /** No pages begin here. */
    private static final long NONE = -1;

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
     * @return the use of the memory. If {@link Use#obstacle()} is null, it was successful.
     */
    public synchronized Use acquire(final CudaDevice device, final long address, final long length)
    {
        final Map.Entry<Long, Pages> known = covering(address, length);
        if (null != known)
        {
            known.getValue().users++;
            return new Use(device, known.getKey(), null);
        }

        final long first = address & -PAGE;
        final long end = address + length + PAGE - 1 & -PAGE;
        final String obstacle = device.register(first, end - first);
        if (null == obstacle)
        {
            pages.put(first, new Pages(end));
            return new Use(device, first, null);
        }

        // Somebody else's registration or allocation serves as well, as long as it covers all of it.
        final boolean isOthers = device.isAddressable(address) && device.isAddressable(address + length - 1);
        return new Use(device, NONE, isOthers ? null : obstacle);
    }

    private synchronized void release(final CudaDevice device, final long first)
    {
        if (0 == --pages.get(first).users)
        {
            pages.remove(first);
            device.unregister(first);
        }
    }

    private Map.Entry<Long, Pages> covering(final long address, final long length)
    {
        final Map.Entry<Long, Pages> before = pages.floorEntry(address);
        return null == before || address + length > before.getValue().end ? null : before;
    }

    /** A use of memory, which counts only if pages were registered for it. Not thread-safe. */
    public final class Use implements AutoCloseable
    {
        private final CudaDevice device;
        private final String obstacle;
        private long first;

        private Use(final CudaDevice device, final long first, final String obstacle)
        {
            this.device = device;
            this.first = first;
            this.obstacle = obstacle;
        }

        /**
         * Returns why devices cannot access the memory.
         *
         * @return reason for the failure, null if they can.
         */
        public String obstacle()
        {
            return obstacle;
        }

        /** Ends the use of the memory. No work on the memory may be running. Closing again has no effect. */
        @Override
        public void close()
        {
            if (NONE != first)
            {
                release(device, first);
                first = NONE;
            }
        }
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
