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
 * Runs the kit between processes: rank 0 is opened in this JVM, every other rank in a JVM of its own, which runs with
 * this one's class path and {@code --} and {@code -D} flags. Killing a rank is killing its process.
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
 * Another rank is asked for one method call at a time, and one thread of its process makes them all. So a few rules
 * reach less far over there than on rank 0: there is no second thread (SIG-4, THR-2; of SIG-3, LOAD-2 and ORD-6 rank 0
 * has two), memory is looked at seldom (ORD-2, ORD-4, ORD-8), the entries of a row list are copied at the call (ROW-3),
 * no kernels run (CON-6, ORD-7), allocation is not counted (POS-7), and {@code register} and {@code hostView} are not
 * to be had (MEM-3 to MEM-5). The kit in one JVM covers them.
 * <p>
 * Processes are reused by later tests and end with this JVM, or by {@link #endProcesses()}. What they print on standard
 * output is discarded; standard error is this JVM's. A subclass says which devices and
 * kernels there are, and may give ranks options of their own.
 */
public class ProcessesFixture implements ConformanceFixture
{
    private final Class<? extends TransportProvider> providerClass;
    private final Map<String, String> options;
    private final TransportProvider provider;
    private final List<RankProcess> taken = new ArrayList<>();
    private final Map<Integer, RankProcess> processes = new HashMap<>();

    /**
     * For one test.
     *
     * @param providerClass public, with a public constructor without arguments, as the service loader wants it.
     * @param options       of all ranks.
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

    /** Kills the rank's process; rank 0 is this JVM and cannot be killed. */
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

    /** Gives processes back for the next test; one that is not in order is killed, and what is wrong with it thrown. */
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
     * Ends the processes that no test uses any more, in order, so that a native library's own account at the end of a
     * process can fail a run.
     *
     * @return what was wrong with those that did not end with status 0; empty if nothing was.
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
