/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Allocates the output of a dispatch when the size of the output is known. At that time, the first chunks of rows are
 * already being sent.
 */
@FunctionalInterface
public interface OutputAllocator
{
    /**
     * Allocates the output of one dispatch. The engine calls this method once for each dispatch, on its first thread
     * ({@code transload-engine-0}, or the thread that {@linkplain Engine#drive drives} the engine). The dispatch cannot
     * deliver rows until this method returns. With {@link OnPeerFailure#MASK}, the engine calls it again if it makes
     * the dispatch again; it then uses the tensors of the last call only.
     *
     * @param shape shape of the output.
     * @return tensors with room for at least {@code shape.rows()} rows.
     */
    DispatchOutput allocate(OutputShape shape);
}
