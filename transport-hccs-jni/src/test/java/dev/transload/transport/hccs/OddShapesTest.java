/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.tck.RowKernelsAgreement;

import java.util.Map;

/** Blocks are so small that most operations need many, and some sums one that is larger. */
class OddShapesTest extends RowKernelsAgreement
{
    private static final int BLOCK_BYTES = 16 << 10;

    OddShapesTest()
    {
        super(new EmulatedNpu(BLOCK_BYTES, false),
            new HostRowKernelsProvider().open(0, Map.of("mode", "scalar")), true);
    }
}
