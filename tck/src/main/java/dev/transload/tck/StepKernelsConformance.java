/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

/**
 * The conformance kit for steps of decode calls. An author writes one subclass in the tests of the steps and implements
 * {@link #fixture}.
 */
public abstract class StepKernelsConformance implements StepCallRules, StepFailureRules, StepFarRules
{
    /** For subclasses. */
    protected StepKernelsConformance()
    {
    }

    /**
     * A fresh fixture for one world of a test.
     *
     * @param ranks of the world, at most 3.
     * @return fixture.
     */
    @Override
    public abstract StepsFixture fixture(int ranks);
}
