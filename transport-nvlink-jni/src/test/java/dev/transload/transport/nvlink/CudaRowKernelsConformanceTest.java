/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.tck.KernelsFixture;
import dev.transload.tck.RowKernelsConformance;
import java.util.HashMap;
import java.util.Map;

/** The kernels' host twins, by the driver's calls; patient ones, since a host may have other things to do. */
class CudaRowKernelsConformanceTest extends RowKernelsConformance
{
    @Override
    public KernelsFixture fixture()
    {
        final Map<String, String> options = new HashMap<>(Emulator.options());
        options.put("proxy", "on");
        options.put("proxy-idle-us", "200000");
        options.put("proxy-residency-ms", "200");
        return new EmulatedDevice(options);
    }
}
