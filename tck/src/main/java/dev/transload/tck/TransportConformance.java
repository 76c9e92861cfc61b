/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

/**
 * Conformance kit for transports. To use it, write one subclass in the tests of the transport and implement
 * {@link #fixture}. JUnit then runs one test per rule; the test is named after the rule.
 * <pre>
 * class CarrierConformanceTest extends TransportConformance
 * {
 *     &#64;Override
 *     public ConformanceFixture fixture(final int worldSize)
 *     {
 *         final TransportProvider provider = new CarrierProvider();
 *         return () -> provider;
 *     }
 * }
 * </pre>
 */
public abstract class TransportConformance implements ProviderRules, ConnectionRules, MemoryRules, SignalRules,
    OperationRules, OrderRules, PositionRules, MisuseRules, FailureRules, ClosingRules,
    WindowRules
{
    /** Constructor for subclasses. */
    protected TransportConformance()
    {
    }

    @Override
    public abstract ConformanceFixture fixture(int worldSize);
}
