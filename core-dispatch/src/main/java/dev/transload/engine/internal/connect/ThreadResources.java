/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.engine.internal.observe.ThreadCounters;
import dev.transload.engine.internal.world.Stage;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Worker;

/** What an engine thread owns and its roles share: workers, row kernels, imported memory, counters. */
public interface ThreadResources
{
    /**
     * Worker of a stage.
     *
     * @return worker, null where the stage has no transport.
     */
    Worker worker(Stage stage);

    /** Row kernels of the payload's memory kind. */
    RowKernels kernels();

    /** What this thread reaches of the tensors of the node's ranks. */
    PeerMemories peerMemories();

    /** Make what peers wrote over a stage visible to row kernels and to puts of device memory submitted from now on. */
    void acquire(Stage stage, MemoryRegion region);

    /** What this thread moved and waited for; any thread may read it. */
    ThreadCounters counters();
}
