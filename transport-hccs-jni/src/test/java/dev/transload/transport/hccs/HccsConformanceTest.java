/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.TransportConformance;

/** Ranks in one process, which reach each other's device memory by plain pointers. */
class HccsConformanceTest extends TransportConformance
{
    @Override
    public ConformanceFixture fixture(final int worldSize)
    {
        return new HccsFixture(Emulator.options());
    }
}
