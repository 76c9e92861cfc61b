/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.tck.KernelsFixture;
import dev.transload.tck.RowKernelsConformance;

/** The kernels' host twins, by the driver's calls. */
class CudaRowKernelsConformanceTest extends RowKernelsConformance
{
    @Override
    public KernelsFixture fixture()
    {
        return new EmulatedDevice();
    }
}
