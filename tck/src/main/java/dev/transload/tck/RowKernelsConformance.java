/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

/**
 * Conformance kit for row kernels of any memory kind. It compares results with test vectors of the kit, bit for bit. To
 * use it, write one subclass in the tests of the kernels and implement {@link #fixture}.
 */
public abstract class RowKernelsConformance
    implements KernelQueueRules, KernelArithmeticRules, KernelPartRules, KernelTableRules
{
    /** Constructor for subclasses. */
    protected RowKernelsConformance()
    {
    }

    /**
     * Creates a fixture for one test.
     *
     * @return new fixture.
     */
    @Override
    public abstract KernelsFixture fixture();
}
