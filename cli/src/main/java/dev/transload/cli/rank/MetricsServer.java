/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.cli.launch.Progress;
import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.program.BuildInfo;
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
    private final Progress progress;
    private final PrometheusEndpoint endpoint;

    private MetricsServer(final RankPlace place, final PrometheusEndpoint endpoint)
    {
        this.rank = place.rank();
        this.progress = place.progress();
        this.endpoint = endpoint;
    }

    /**
     * Take the port; before the ranks open their engines together, so that a taken one holds up nobody.
     *
     * @param place of the rank, whose settings ask for it or not.
     * @return server, without an end point where none is asked for.
     * @throws CommandException if the port is not to be had.
     */
    public static MetricsServer open(final RankPlace place)
    {
        final MetricsConfig config = MetricsConfig.from(place.settings().config());
        if (!config.isOn())
        {
            return new MetricsServer(place, null);
        }

        final int port = config.portOf(place.rank());
        try
        {
            final PrometheusEndpoint endpoint = PrometheusEndpoint.open(config.address(), port);
            final BuildInfo build = BuildInfo.own();
            endpoint.serveBuild(build.version(), build.commit());
            return new MetricsServer(place, endpoint);
        }
        catch (final IOException ex)
        {
            throw new CommandException(ExitCodes.UNAVAILABLE, "rank " + place.rank() +
                " cannot serve metrics on port " + port + " of " + config.address().getHostAddress() + ": " +
                ex.getMessage(), ex);
        }
    }

    void serve(final Engine engine)
    {
        if (null != endpoint)
        {
            endpoint.serve(new EngineMetrics(engine));
            announce();
        }
    }

    /** Serve an engine's counters, and tell where, if that is asked for. */
    public void serve(final LowLatencyEngine engine)
    {
        if (null != endpoint)
        {
            endpoint.serve(new LowLatencyMetrics(engine));
            announce();
        }
    }

    private void announce()
    {
        progress.note("rank " + rank + " serves metrics at " + endpoint.uri());
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
