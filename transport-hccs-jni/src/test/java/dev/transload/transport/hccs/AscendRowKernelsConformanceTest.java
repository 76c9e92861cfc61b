/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.tck.KernelsFixture;
import dev.transload.tck.RowKernelsConformance;

/** Copies by the emulated device, sums and casts by the host's kernels between them. */
class AscendRowKernelsConformanceTest extends RowKernelsConformance
{
    @Override
    public KernelsFixture fixture()
    {
        return new EmulatedNpu();
    }
}
