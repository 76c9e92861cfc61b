/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.Availability;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.stepping.SteppingElsewhere;
import java.util.List;
import java.util.Map;

/** All ranks of the stepping transport in one other process, rank 0 too, so that every call goes by a proxy. */
final class OneProcessFixture implements ConformanceFixture
{
    private final RankProcess process = RankPool.shared().take("all ranks");
    private final Map<String, String> options;
    private final long deadlineNs;
    private final TransportProvider provider = new Elsewhere();

    /** Opens in the other process. */
    private final class Elsewhere implements TransportProvider
    {
        private final TransportProvider here = new SteppingElsewhere();

        @Override
        public String name()
        {
            return here.name();
        }

        @Override
        public int spiVersion()
        {
            return here.spiVersion();
        }

        @Override
        public List<ConfigOption> options()
        {
            return here.options();
        }

        @Override
        public Availability probe(final TransportConfig config)
        {
            return here.probe(config);
        }

        @Override
        public Transport open(final TransportConfig config)
        {
            return process.open(SteppingElsewhere.class, config);
        }
    }

    OneProcessFixture(final Map<String, String> options, final long deadlineNs)
    {
        this.options = options;
        this.deadlineNs = deadlineNs;
    }

    @Override
    public TransportProvider provider()
    {
        return provider;
    }

    @Override
    public Map<String, String> options(final int rank)
    {
        return options;
    }

    @Override
    public long livenessTimeoutNs()
    {
        return 1;
    }

    @Override
    public long deadlineNs()
    {
        return deadlineNs;
    }

    @Override
    public boolean isThreaded()
    {
        return false;
    }

    @Override
    public boolean isAllocationFree()
    {
        return false;
    }

    @Override
    public void close()
    {
        RankPool.shared().giveBack(process);
    }
}
