/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.transport.nvlink.cuda.CudaDevice;

import java.util.HashMap;
import java.util.Map;

/** Host memory that the driver was told to let devices address, each range once a transport. */
final class HostRegistrations
{
    private final CudaDevice device;
    private final Map<Long, Integer> users = new HashMap<>();

    HostRegistrations(final CudaDevice device)
    {
        this.device = device;
    }

    /**
     * Let the device address memory.
     *
     * @param address of the first byte.
     * @param length  in bytes.
     * @return null, or why it can't; in either case {@link #release} ends it.
     */
    synchronized String acquire(final long address, final long length)
    {
        if (!users.containsKey(address))
        {
            final String obstacle = device.register(address, length);
            if (null != obstacle)
            {
                // Somebody else's registration serves as well, as long as it covers all of it.
                return isCovered(address, length) ? null : obstacle;
            }
        }
        else if (!isCovered(address, length))
        {
            return "a shorter region is registered at the same address";
        }

        users.merge(address, 1, Integer::sum);
        return null;
    }

    synchronized void release(final long address)
    {
        final Integer left = users.computeIfPresent(address, (key, count) -> count - 1);
        if (null != left && 0 == left)
        {
            users.remove(address);
            device.unregister(address);
        }
    }

    private boolean isCovered(final long address, final long length)
    {
        return device.isAddressable(address) && device.isAddressable(address + length - 1);
    }
}
