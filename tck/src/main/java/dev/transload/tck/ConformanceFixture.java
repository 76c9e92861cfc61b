/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Supplies the conformance kit with a transport provider, and offers operations that the SPI does not have. A fixture
 * serves one test. The test's thread drives all ranks, except in a few rules about concurrent operations. The ranks run
 * in this JVM, or in other JVMs with {@link dev.transload.tck.processes.ProcessesFixture}.
 */
public interface ConformanceFixture extends AutoCloseable
{
    /**
     * Returns the provider under test.
     *
     * @return provider; the same one at each call.
     */
    TransportProvider provider();

    /**
     * Returns the transport options of one rank.
     *
     * @param rank rank in the world of the test.
     * @return option values; the keys are those of the provider's {@code options()}.
     */
    default Map<String, String> options(final int rank)
    {
        return Map.of();
    }

    /**
     * Returns the device that owns a rank's memory of a given kind.
     *
     * @param kind memory kind from the transport's capabilities.
     * @param rank rank in the world of the test.
     * @return ordinal of the device; 0 for HOST.
     */
    default int device(final MemoryKind kind, final int rank)
    {
        return 0;
    }

    /**
     * Returns row kernels for a memory kind. They are used by rules that involve channels and kernels.
     *
     * @param kind memory kind from the transport's capabilities.
     * @param rank rank in the world of the test.
     * @return kernels, which the kit closes; null if there are none, in which case those rules are skipped.
     */
    default RowKernels kernels(final MemoryKind kind, final int rank)
    {
        return null;
    }

    /**
     * Ends a rank without a goodbye message, as a crash would.
     *
     * @param rank rank in the world of the test.
     * @return false if the fixture cannot do this; the rules about failures are then skipped.
     */
    default boolean kill(final int rank)
    {
        return false;
    }

    /**
     * Returns whether rules about concurrency (PUT-4, LOAD-2, ORD-2, ORD-4, ORD-6, ORD-8, SIG-3, SIG-7) use several
     * threads. If not, the test's thread alternates between the concurrent parts of the rule. For a transport that
     * advances only by {@link #pump}, the fixture returns false, so that equal seeds give equal runs.
     *
     * @return true unless the transport advances only by {@link #pump}.
     */
    default boolean isThreaded()
    {
        return true;
    }

    /**
     * Lets the transport make progress. The kit calls this method between two checks of a condition. If the transport
     * runs step by step, this method runs one step.
     */
    default void pump()
    {
        Thread.onSpinWait();
    }

    /** Waits for twice the liveness timeout without calling any transport. */
    default void idle()
    {
        final long until = System.nanoTime() + 2 * livenessTimeoutNs();
        for (long left = 2 * livenessTimeoutNs(); left > 0; left = until - System.nanoTime())
        {
            LockSupport.parkNanos(left);
        }
    }

    /**
     * Returns the liveness timeout that tests configure: a silent peer counts as failed after this time.
     *
     * @return nanoseconds, passed to {@link TransportConfig.Builder#livenessTimeoutNs}.
     */
    default long livenessTimeoutNs()
    {
        return TimeUnit.SECONDS.toNanos(1);
    }

    /**
     * Returns the longest time that a test waits for one condition before it fails.
     *
     * @return time in nanoseconds.
     */
    default long deadlineNs()
    {
        return TimeUnit.SECONDS.toNanos(10);
    }

    /**
     * Returns whether the rule against allocation (POS-7) applies. The fixture may return false only if the
     * transport is made for tests.
     *
     * @return true if the rule applies.
     */
    default boolean isAllocationFree()
    {
        return true;
    }

    /** Frees the resources of the fixture. All transports are already closed. */
    @Override
    default void close()
    {
    }
}
