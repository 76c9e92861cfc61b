/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.util.ArrayList;
import java.util.List;

/**
 * Devices of one memory kind, for transports that move such memory without being of that device: a network's library
 * registers it, but neither allocates it nor knows when the device sees what was written. Offered by the transport
 * whose memory it is, found by {@link java.util.ServiceLoader}.
 */
public interface DeviceRuntime
{
    /**
     * Memory kind of the devices.
     *
     * @return kind; one runtime a kind.
     */
    MemoryKind kind();

    /**
     * The transport that the runtime comes with.
     *
     * @return its name, e.g. {@code nvlink}.
     */
    String section();

    /**
     * A device of this process.
     *
     * @param library name or path of the driver's library; empty for the library that this process uses already,
     *                else the system's.
     * @param ordinal of the device, from 0.
     * @return the device.
     * @throws TransportUnavailableException in one sentence, when there is no such device, or it cannot be driven.
     */
    RuntimeDevice open(String library, int ordinal);

    /**
     * Look for runtimes with the calling thread's context class loader; broken ones are left out.
     *
     * @return those found, at most one of a kind.
     */
    static List<DeviceRuntime> discover()
    {
        final List<DeviceRuntime> found = new ArrayList<>();
        ServiceProviders.visit(DeviceRuntime.class, (runtime) ->
        {
            if (found.stream().noneMatch((other) -> other.kind().equals(runtime.kind())))
            {
                found.add(runtime);
            }
        });
        return found;
    }
}
