/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryKind;
import java.util.Map;

/** Opens the row kernels of one memory kind. A provider is stateless, and {@link java.util.ServiceLoader} finds it. */
public interface RowKernelsProvider
{
    /**
     * Returns the memory kind of the rows that these kernels process.
     *
     * @return memory kind; there is one provider for each kind.
     */
    MemoryKind kind();

    /**
     * Returns the name of the configuration section that has the options of these kernels. The section has the name of
     * the transport that provides the kernels, or the name {@code kernels} if no transport provides them. If the
     * transport is the scale-up transport and the option {@code payload.kind} is {@code auto}, the payload is in memory
     * of the kind {@link #kind()}.
     *
     * @return name of the section, e.g. {@code nvlink}.
     */
    String section();

    /**
     * Returns why the kernels cannot run on this host. This method may load native libraries, but it never throws an
     * exception.
     *
     * @param options options of the section, by key.
     * @return null if the kernels can run, else one sentence that gives the reason and says how to make them run.
     */
    String unavailableBecause(Map<String, String> options);

    /**
     * Returns how many devices of the memory kind {@link #kind()} this process can use. The ordinals of these devices
     * begin at 0. This method must be called only if the kernels can run.
     *
     * @param options options of the section, by key.
     * @return positive number, 1 for host memory.
     */
    int devices(Map<String, String> options);

    /**
     * Returns options that reduce the latency of short calls, even if the kernels then occupy more of the device. The
     * low-latency engine uses these options unless the user sets other values.
     *
     * @return options of the section, by key.
     */
    default Map<String, String> latencyOptions()
    {
        return Map.of();
    }

    /**
     * Opens a queue of kernels.
     *
     * @param device  ordinal of the device, 0 for host memory.
     * @param options options of the section, by key; unknown keys are refused.
     * @return queue of kernels. Only the thread that submits its first operation may use it.
     */
    RowKernels open(int device, Map<String, String> options);

    /**
     * Opens one of several queues of kernels that a program uses at the same time. The queues share the part of the
     * device that the options allow.
     *
     * @param device  ordinal of the device, 0 for host memory.
     * @param sharers number of queues that share the device, positive.
     * @param options options of the section, by key; unknown keys are refused.
     * @return queue of kernels. Only the thread that submits its first operation may use it.
     */
    default RowKernels open(final int device, final int sharers, final Map<String, String> options)
    {
        return open(device, options);
    }
}
