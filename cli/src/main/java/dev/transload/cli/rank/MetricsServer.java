/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.cli.launch.Progress;
import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.engine.Engine;
import dev.transload.metrics.EngineMetrics;
import dev.transload.metrics.MetricsConfig;
import dev.transload.metrics.PrometheusEndpoint;
import java.io.IOException;

/** Serves a rank's counters while it runs, where that is asked for. */
final class MetricsServer implements AutoCloseable
{
    private final int rank;
    private final PrometheusEndpoint endpoint;

    private MetricsServer(final int rank, final PrometheusEndpoint endpoint)
    {
        this.rank = rank;
        this.endpoint = endpoint;
    }

    static MetricsServer open(final RankPlace place, final Engine engine)
    {
        final MetricsConfig config = MetricsConfig.from(place.settings().config());
        if (!config.isOn())
        {
            return new MetricsServer(place.rank(), null);
        }

        final int port = config.portOf(place.rank());
        try
        {
            return new MetricsServer(place.rank(), PrometheusEndpoint.open(port, new EngineMetrics(engine)));
        }
        catch (final IOException ex)
        {
            throw new CommandException(ExitCodes.UNAVAILABLE, "rank " + place.rank() +
                " cannot serve metrics on port " + port + " of loopback: " + ex.getMessage(), ex);
        }
    }

    void announce(final Progress progress)
    {
        if (null != endpoint)
        {
            progress.note("rank " + rank + " serves metrics at " + endpoint.uri());
        }
    }

    @Override
    public void close()
    {
        if (null != endpoint)
        {
            endpoint.close();
        }
    }
}
