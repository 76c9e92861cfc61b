/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepSlots;
import dev.transload.kernels.StepStatus;
import dev.transload.spi.MemoryRegion;
import java.util.function.Consumer;
import org.agrona.concurrent.NanoClock;

/**
 * What the primitives of a session share.
 *
 * @param peers     of the session.
 * @param call      under way.
 * @param arguments of the step under way.
 * @param slots     layout.
 * @param status    line.
 * @param kernels   for rows.
 * @param scratch   M rows of {@link StepSlots#rowStride()}, of the rows' kind.
 * @param acquire   makes what peers have stored in a region visible to kernels.
 * @param clock     of waits and leases.
 */
record Parts(
    Peers peers, Call call, StepArguments arguments, StepSlots slots, StepStatus status, RowKernels kernels,
    MemoryRegion scratch, Consumer<MemoryRegion> acquire, NanoClock clock)
{
    boolean isHost()
    {
        return kernels.kind().isHost();
    }
}
