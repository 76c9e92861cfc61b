/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

/**
 * The conformance kit for row kernels, of any kind of memory: the arithmetic is checked bit for bit against vectors
 * that the kit brings. An author writes one subclass in the tests of the kernels and implements {@link #fixture}.
 */
public abstract class RowKernelsConformance
    implements KernelQueueRules, KernelArithmeticRules, KernelPartRules, KernelTableRules
{
    /** For subclasses. */
    protected RowKernelsConformance()
    {
    }

    /**
     * A fresh fixture for one test.
     *
     * @return fixture.
     */
    @Override
    public abstract KernelsFixture fixture();
}
