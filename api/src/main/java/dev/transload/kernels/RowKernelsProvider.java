/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryKind;
import java.util.Map;

/** Stateless entry point to the row kernels of one memory kind, found by {@link java.util.ServiceLoader}. */
public interface RowKernelsProvider
{
    /**
     * Memory kind whose rows these kernels work on.
     *
     * @return kind; one provider a kind.
     */
    MemoryKind kind();

    /**
     * Section of the configuration whose keys are the options of these kernels: the name of the transport that they
     * come with, or {@code kernels}. Payload lives in this kind by itself where that transport is the scale-up one.
     *
     * @return name, e.g. {@code nvlink}.
     */
    String section();

    /**
     * Whether the kernels run on this host; loads natives, never throws.
     *
     * @param options of the section, by key.
     * @return null when they do, else one sentence that says why not and what would make it so.
     */
    String unavailableBecause(Map<String, String> options);

    /**
     * Devices of the kind that this process sees, by ordinals from 0; asked only where the kernels run.
     *
     * @param options of the section, by key.
     * @return positive count, 1 for host memory.
     */
    int devices(Map<String, String> options);

    /**
     * Options that suit short calls, where what they take of a device counts less than when they end: those of the
     * low-latency mode, unless the user set them.
     *
     * @return options of the section, by key.
     */
    default Map<String, String> latencyOptions()
    {
        return Map.of();
    }

    /**
     * Open a queue of kernels.
     *
     * @param device  ordinal, 0 for host memory.
     * @param options of the section, by key; unknown keys are refused.
     * @return kernels confined to the first thread that drives them.
     */
    RowKernels open(int device, Map<String, String> options);

    /**
     * Open one of several queues of kernels that one user runs side by side, and which share what the settings allow
     * them to take of a device.
     *
     * @param device  ordinal, 0 for host memory.
     * @param sharers number of them, positive.
     * @param options of the section, by key; unknown keys are refused.
     * @return kernels confined to the first thread that drives them.
     */
    default RowKernels open(final int device, final int sharers, final Map<String, String> options)
    {
        return open(device, options);
    }
}
