/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.tck.RowKernelsAgreement;

import java.util.Map;

/** The kernels' host twins, by the driver's calls. */
class OddShapesTest extends RowKernelsAgreement
{
    OddShapesTest()
    {
        super(new EmulatedDevice(), new HostRowKernelsProvider().open(0, Map.of("mode", "scalar")), false);
    }
}
