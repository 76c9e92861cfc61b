/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.rendezvous.LaunchEnvironment;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.spi.TransportConfig;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether all ranks share this host, as far as their launcher says. */
final class SingleHost
{
    private static final Logger LOG = LoggerFactory.getLogger(SingleHost.class);

    private SingleHost()
    {
    }

    static boolean isTold(final TransportConfig config, final Map<String, String> environment)
    {
        try
        {
            return LaunchEnvironment.detect(environment).filter((launch) ->
                config.worldSize() == launch.worldSize() && launch.worldSize() == launch.ranksPerNode()).isPresent();
        }
        catch (final RendezvousException ex)
        {
            LOG.debug("the launcher's variables tell nothing: {}", ex.getMessage());
            return false;
        }
    }
}
