/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.Availability;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.tck.ConformanceFixture;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs the conformance kit across processes. Rank 0 runs in this JVM. Every other rank runs in a separate JVM with the
 * class path and the {@code --} and {@code -D} flags of this JVM. Killing a rank kills its process.
 * <pre>
 * class CarrierProcessesIT extends TransportConformance
 * {
 *     &#64;Override
 *     public ConformanceFixture fixture(final int worldSize)
 *     {
 *         return new ProcessesFixture(CarrierProvider.class, Map.of());
 *     }
 * }
 * </pre>
 * In each of the other processes, one thread executes all method calls of its rank, one at a time. A few rules are
 * therefore tested less on these ranks than on rank 0:
 * <ul>
 * <li>These ranks have no second thread (SIG-4, THR-2). In SIG-3, LOAD-2 and ORD-6, the concurrent threads are in this
 * JVM, and one of them requests the operations of the other rank.</li>
 * <li>The memory of these ranks is read less often (ORD-2, ORD-4, ORD-8).</li>
 * <li>The entries of a row list are copied when the method is called, so the transport does not see later changes by
 * the caller (ROW-3).</li>
 * <li>These ranks run no kernels (CON-6, ORD-7).</li>
 * <li>Allocation on these ranks is not counted (POS-7).</li>
 * <li>{@code register} and {@code hostView} are not available (MEM-3 to MEM-5).</li>
 * </ul>
 * A run of the kit within one JVM covers these cases.
 * <p>
 * Later tests reuse the processes. Processes end when this JVM ends or {@link #endProcesses()} is called. Their
 * standard output is discarded, and their standard error is that of this JVM. A subclass defines the devices and
 * kernels, and it may give ranks different options.
 */
public class ProcessesFixture implements ConformanceFixture
{
    private final Class<? extends TransportProvider> providerClass;
    private final Map<String, String> options;
    private final TransportProvider provider;
    private final List<RankProcess> taken = new ArrayList<>();
    private final Map<Integer, RankProcess> processes = new HashMap<>();

    /**
     * Creates a fixture for one test.
     *
     * @param providerClass public class with a public constructor without arguments, as the service loader requires.
     * @param options       options of all ranks.
     */
    public ProcessesFixture(final Class<? extends TransportProvider> providerClass, final Map<String, String> options)
    {
        this.providerClass = providerClass;
        this.options = Map.copyOf(options);
        try
        {
            this.provider = new Spread(providerClass.getConstructor().newInstance());
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new IllegalArgumentException(providerClass.getName() +
                " is no provider: must be public, with a public constructor without arguments that does not throw", ex);
        }
    }

    /** The provider under test, whose transports are spread over processes. */
    private final class Spread implements TransportProvider
    {
        private final TransportProvider local;

        Spread(final TransportProvider local)
        {
            this.local = local;
        }

        @Override
        public String name()
        {
            return local.name();
        }

        @Override
        public int spiVersion()
        {
            return local.spiVersion();
        }

        @Override
        public List<ConfigOption> options()
        {
            return local.options();
        }

        @Override
        public Availability probe(final TransportConfig config)
        {
            return local.probe(config);
        }

        @Override
        public Transport open(final TransportConfig config)
        {
            return 0 == config.rank() ? local.open(config) : openElsewhere(config);
        }
    }

    @Override
    public final TransportProvider provider()
    {
        return provider;
    }

    @Override
    public Map<String, String> options(final int rank)
    {
        return options;
    }

    /** Kills the rank's process. Rank 0 runs in this JVM and cannot be killed. */
    @Override
    public final boolean kill(final int rank)
    {
        final RankProcess process = processes.get(rank);
        if (null == process)
        {
            return false;
        }

        process.kill();
        return true;
    }

    /**
     * Returns the processes to the pool for the next test. A process with an error is killed, and the error is thrown.
     */
    @Override
    public void close()
    {
        Throwable first = null;
        for (final RankProcess process : taken)
        {
            try
            {
                RankPool.shared().giveBack(process);
            }
            catch (final RuntimeException | Error ex)
            {
                if (null == first)
                {
                    first = ex;
                }
                else
                {
                    first.addSuppressed(ex);
                }
            }
        }

        taken.clear();
        processes.clear();
        if (null != first)
        {
            throw new AssertionError("a rank did not close in order: " + first.getMessage(), first);
        }
    }

    /**
     * Ends idle processes normally, so that native libraries can report errors at the end of a process. A caller can
     * let its run fail if this method returns errors.
     *
     * @return error descriptions of processes that did not end with status 0; empty if there were none.
     */
    public static List<String> endProcesses()
    {
        return RankPool.shared().endIdle();
    }

    private Transport openElsewhere(final TransportConfig config)
    {
        final RankProcess process = RankPool.shared().take("rank " + config.rank());
        taken.add(process);
        processes.put(config.rank(), process);
        return process.open(providerClass, config);
    }
}
