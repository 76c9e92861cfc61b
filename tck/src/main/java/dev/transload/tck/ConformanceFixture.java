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
 * What the kit must know of a transport: how to open a rank's instance, and the few things that no SPI offers. A
 * fixture serves one test, whose thread drives all ranks, but for the few rules about operations at the same time. The
 * ranks live in this JVM, or in others where the fixture is a {@link dev.transload.tck.processes.ProcessesFixture}.
 */
public interface ConformanceFixture extends AutoCloseable
{
    /**
     * The provider under test.
     *
     * @return provider; the same one at each call.
     */
    TransportProvider provider();

    /**
     * Options of one rank.
     *
     * @param rank in the world of the test.
     * @return values by key of the provider's {@code options()}.
     */
    default Map<String, String> options(final int rank)
    {
        return Map.of();
    }

    /**
     * Device on which a rank's memory of a kind lives.
     *
     * @param kind one of the capabilities' kinds.
     * @param rank in the world of the test.
     * @return ordinal; 0 for HOST.
     */
    default int device(final MemoryKind kind, final int rank)
    {
        return 0;
    }

    /**
     * Kernels for a kind, for the rules that join channels and kernels.
     *
     * @param kind one of the capabilities' kinds.
     * @param rank in the world of the test.
     * @return kernels, closed by the kit; null when there are none, which skips those rules.
     */
    default RowKernels kernels(final MemoryKind kind, final int rank)
    {
        return null;
    }

    /**
     * End a rank without a farewell, as a crash would.
     *
     * @param rank in the world of the test.
     * @return false when this fixture cannot, which skips the rules on failure.
     */
    default boolean kill(final int rank)
    {
        return false;
    }

    /**
     * Whether rules about what happens at the same time (PUT-4, LOAD-2, ORD-2, ORD-4, ORD-6, ORD-8, SIG-3, SIG-7) use
     * several threads. A transport that is driven by steps says no, so that equal seeds give equal runs: the parts then
     * take turns on the test's thread.
     *
     * @return true unless the transport is driven by steps.
     */
    default boolean isThreaded()
    {
        return true;
    }

    /** Called between two looks at a condition; a transport that is driven by steps takes one. */
    default void pump()
    {
        Thread.onSpinWait();
    }

    /** Let twice the liveness time-out pass without any call of a transport. */
    default void idle()
    {
        final long until = System.nanoTime() + 2 * livenessTimeoutNs();
        for (long left = 2 * livenessTimeoutNs(); left > 0; left = until - System.nanoTime())
        {
            LockSupport.parkNanos(left);
        }
    }

    /**
     * After how long a silent peer counts as dead in these tests.
     *
     * @return nanoseconds, given to {@link TransportConfig.Builder#livenessTimeoutNs}.
     */
    default long livenessTimeoutNs()
    {
        return TimeUnit.SECONDS.toNanos(1);
    }

    /**
     * How long a test waits for one condition before it fails.
     *
     * @return nanoseconds.
     */
    default long deadlineNs()
    {
        return TimeUnit.SECONDS.toNanos(10);
    }

    /**
     * Whether the rule that nothing is allocated (POS-7) applies. Only a transport made for tests may say no.
     *
     * @return true unless the transport is a reference for tests.
     */
    default boolean isAllocationFree()
    {
        return true;
    }

    /** Frees what the fixture holds; the transports were closed before. */
    @Override
    default void close()
    {
    }
}
