/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.tck.StepKernelsConformance;
import dev.transload.tck.StepsFixture;

/** The stepping steps keep the rules. */
class SteppingStepsTest extends StepKernelsConformance
{
    private long seed = 1;

    @Override
    public StepsFixture fixture(final int ranks)
    {
        return new SteppingStepsFixture(
            new SteppingFabric(seed++, ranks, SteppingOptions.opaque()), SteppingOptions.OPAQUE);
    }
}
