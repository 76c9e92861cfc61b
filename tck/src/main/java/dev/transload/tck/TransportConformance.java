/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

/**
 * The conformance kit for transports. An author writes one subclass in the tests of the transport and implements
 * {@link #fixture}; JUnit then runs one test for each rule, named after it.
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
    /** For subclasses. */
    protected TransportConformance()
    {
    }

    @Override
    public abstract ConformanceFixture fixture(int worldSize);
}
