/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.spi.MemoryKind;
import dev.transload.tck.StepKernelsConformance;
import dev.transload.tck.StepsFixture;
import dev.transload.tck.stepping.SteppingOptions;

/** Steps by this package's thread keep the rules, on both kinds of memory in turn. */
class ListedStepsTest extends StepKernelsConformance
{
    private long seed;

    @Override
    public StepsFixture fixture(final int ranks)
    {
        seed++;
        return new ListedFixture(seed, ranks, 0 == seed % 2 ? MemoryKind.HOST : SteppingOptions.OPAQUE);
    }
}
