/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.util.ArrayList;
import java.util.List;

/**
 * Access to devices whose memory is of one kind. The transport that was made for these devices, e.g. {@code nvlink} for
 * NVIDIA GPUs, provides the runtime. Other transports use the runtime if they can move data to and from this memory.
 * For example, a network library can register memory of a GPU, but it cannot allocate such memory, and it does not know
 * when the GPU sees data that a network card wrote. {@link java.util.ServiceLoader} finds the runtime.
 */
public interface DeviceRuntime
{
    /**
     * Returns the memory kind of the devices.
     *
     * @return memory kind; there is at most one runtime for each kind.
     */
    MemoryKind kind();

    /**
     * Returns the name of the transport that provides the runtime.
     *
     * @return name, e.g. {@code nvlink}.
     */
    String section();

    /**
     * Opens a device for this process.
     *
     * @param library name or path of the driver's library. If the text is empty, the runtime uses the library that this
     *                process has already loaded or, if there is none, the system's library.
     * @param ordinal ordinal of the device, from 0.
     * @return the device.
     * @throws TransportUnavailableException if the device does not exist or cannot be used; the message is one
     *                                       sentence.
     */
    RuntimeDevice open(String library, int ordinal);

    /**
     * Finds runtimes with the calling thread's context class loader. A runtime that fails to load is left out.
     *
     * @return runtimes found, at most one for each memory kind.
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
