/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.TransportConformance;

class SteppingHostConformanceTest extends TransportConformance
{
    private static final long SEED = 20261121L;

    @Override
    public ConformanceFixture fixture(final int worldSize)
    {
        return new SteppingFixture(new SteppingFabric(SEED, worldSize, SteppingOptions.host()));
    }
}
