/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** Brings the output of a dispatch once its size is known, while the first chunks already travel. */
@FunctionalInterface
public interface OutputAllocator
{
    /**
     * Called once a dispatch, on the engine's first thread ({@code transload-engine-0}, or the thread that
     * {@linkplain Engine#drive drives} it); the call's receivers wait for it.
     *
     * @param shape of what will be delivered.
     * @return tensors with at least {@code shape.rows()} rows.
     */
    DispatchOutput allocate(OutputShape shape);
}
