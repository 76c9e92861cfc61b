/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

/**
 * Conformance kit for kernels that execute the steps of low-latency calls. To use it, write one subclass in the tests
 * of the kernels and implement {@link #fixture}.
 */
public abstract class StepKernelsConformance implements StepCallRules, StepFailureRules, StepFarRules
{
    /** Constructor for subclasses. */
    protected StepKernelsConformance()
    {
    }

    /**
     * Creates a fixture for one world of a test.
     *
     * @param ranks number of ranks of the world, at most 3.
     * @return new fixture.
     */
    @Override
    public abstract StepsFixture fixture(int ranks);
}
