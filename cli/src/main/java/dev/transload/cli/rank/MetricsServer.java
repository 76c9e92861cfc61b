/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.cli.launch.Progress;
import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.engine.Engine;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.metrics.EngineMetrics;
import dev.transload.metrics.LowLatencyMetrics;
import dev.transload.metrics.MetricsConfig;
import dev.transload.metrics.PrometheusEndpoint;
import java.io.IOException;

/** Serves a rank's counters while it runs, where that is asked for. */
public final class MetricsServer implements AutoCloseable
{
    private final int rank;
    private final PrometheusEndpoint endpoint;

    private MetricsServer(final int rank, final PrometheusEndpoint endpoint)
    {
        this.rank = rank;
        this.endpoint = endpoint;
    }

    /** Opens an end point at a port. */
    private interface Opening
    {
        PrometheusEndpoint at(int port) throws IOException;
    }

    static MetricsServer open(final RankPlace place, final Engine engine)
    {
        return open(place, (port) -> PrometheusEndpoint.open(port, new EngineMetrics(engine)));
    }

    /**
     * Serve the counters of a low-latency engine, if the place's settings ask for it.
     *
     * @param place  of the rank.
     * @param engine open.
     * @return server, to be closed before the engine; without an end point where none is asked for.
     * @throws CommandException if the port is not to be had.
     */
    public static MetricsServer open(final RankPlace place, final LowLatencyEngine engine)
    {
        return open(place, (port) -> PrometheusEndpoint.open(port, new LowLatencyMetrics(engine)));
    }

    private static MetricsServer open(final RankPlace place, final Opening opening)
    {
        final MetricsConfig config = MetricsConfig.from(place.settings().config());
        if (!config.isOn())
        {
            return new MetricsServer(place.rank(), null);
        }

        final int port = config.portOf(place.rank());
        try
        {
            return new MetricsServer(place.rank(), opening.at(port));
        }
        catch (final IOException ex)
        {
            throw new CommandException(ExitCodes.UNAVAILABLE, "rank " + place.rank() +
                " cannot serve metrics on port " + port + " of loopback: " + ex.getMessage(), ex);
        }
    }

    /**
     * Tell where it serves, if it does.
     *
     * @param progress to be told.
     */
    public void announce(final Progress progress)
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
