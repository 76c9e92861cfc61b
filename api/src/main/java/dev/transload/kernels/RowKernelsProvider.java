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
     * Whether the kernels run on this host; loads natives, never throws.
     *
     * @return null when they do, else one sentence that says why not and what would make it so.
     */
    String unavailableBecause();

    /**
     * Open a queue of kernels.
     *
     * @param device  ordinal, 0 for host memory.
     * @param options by key; unknown keys are refused.
     * @return kernels confined to the first thread that drives them.
     */
    RowKernels open(int device, Map<String, String> options);
}
