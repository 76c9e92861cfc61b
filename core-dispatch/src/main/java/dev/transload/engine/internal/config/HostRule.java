/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.config;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.cores.HostShare;

/** What depends on the host of a rank, settled when the engine opens. */
public final class HostRule
{
    private HostRule()
    {
    }

    /**
     * With threads that fit the host, and sizes that fit the memory where rows live.
     *
     * @param config with the payload as far as it is known.
     * @return copy where threads are settled; its sizes are for the payload's kind, HOST where that is not settled.
     * @throws dev.transload.spi.ConfigurationException if the host has not the cores asked for.
     */
    public static EngineConfig settle(final EngineConfig config, final HostShare host)
    {
        config.threading().cores().check(host);
        final EngineConfig sized = SizeRule.settle(config, host);
        return sized.with(ThreadRule.settle(sized, host));
    }
}
