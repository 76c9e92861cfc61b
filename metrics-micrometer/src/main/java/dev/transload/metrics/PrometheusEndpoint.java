/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.metrics;

import com.sun.net.httpserver.HttpExchange;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.registry.PrometheusScrapeRequest;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * HTTP server for an engine's meters, based on the HTTP server of the Prometheus Java client. {@code /metrics} returns
 * the meters in the format that the scraper requests: Prometheus text, OpenMetrics, or the binary format.
 * {@code /-/healthy} answers while the process runs. All values of one response belong to one moment, except the values
 * of low-latency engines, which are read one by one.
 */
public final class PrometheusEndpoint implements AutoCloseable
{
    private static final String PATH = "/metrics";
    private static final int NOT_FOUND = 404;
    private static final int NO_BODY = -1;

    /** A request occupies a thread from its first byte on, whether or not the rest ever comes. */
    static final int THREADS = 16;
    private static final Duration REQUEST_LIMIT = Duration.ofSeconds(5);
    private static final int IDLE_SECONDS = 30;

    private final OneMoment snapshots = new OneMoment();
    private final PrometheusMeterRegistry registry =
        new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, snapshots, Clock.SYSTEM);
    private final CallHistogram calls = CallHistogram.in(registry);
    private final InetAddress address;
    private final Requests requests;
    private final HTTPServer server;

    private PrometheusEndpoint(final InetAddress address, final int port, final Duration limit) throws IOException
    {
        this.address = address;
        this.requests = new Requests(limit);
        this.server = HTTPServer.builder().inetAddress(address).port(port).metricsHandlerPath(PATH)
            .registry(snapshots).executorService(requests).defaultHandler(PrometheusEndpoint::refuse).buildAndStart();
    }

    private static Thread thread(final Runnable task)
    {
        final Thread thread = new Thread(task, "transload-metrics");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Opens a port before an engine exists. The endpoint serves no values until {@code serve} is called. There is no
     * authentication: any program that can connect to the address can read the values.
     *
     * @param address address of this host; use the loopback address if scrapers run on this host.
     * @param port    port, or 0 for any free port.
     * @return open endpoint.
     * @throws IOException if the port is not available.
     */
    public static PrometheusEndpoint open(final InetAddress address, final int port) throws IOException
    {
        return new PrometheusEndpoint(address, port, REQUEST_LIMIT);
    }

    /**
     * Opens a port on the loopback address.
     *
     * @param port port, or 0 for any free port.
     * @return open endpoint.
     * @throws IOException if the port is not available.
     */
    public static PrometheusEndpoint open(final int port) throws IOException
    {
        return open(port, REQUEST_LIMIT);
    }

    /** Requests that are not answered within the limit lose their connection. */
    static PrometheusEndpoint open(final int port, final Duration limit) throws IOException
    {
        return new PrometheusEndpoint(InetAddress.getLoopbackAddress(), port, limit);
    }

    /**
     * Opens a port on the loopback address and serves the meters of an engine.
     *
     * @param port    port, or 0 for any free port.
     * @param metrics metrics of the engine.
     * @return open endpoint.
     * @throws IOException if the port is not available.
     */
    public static PrometheusEndpoint open(final int port, final EngineMetrics metrics) throws IOException
    {
        final PrometheusEndpoint endpoint = open(port);
        endpoint.serve(metrics);
        return endpoint;
    }

    /**
     * Opens a port on the loopback address and serves the meters of a low-latency engine.
     *
     * @param port    port, or 0 for any free port.
     * @param metrics metrics of the engine.
     * @return open endpoint.
     * @throws IOException if the port is not available.
     */
    public static PrometheusEndpoint open(final int port, final LowLatencyMetrics metrics) throws IOException
    {
        final PrometheusEndpoint endpoint = open(port);
        endpoint.serve(metrics);
        return endpoint;
    }

    /**
     * Starts to serve the meters of an engine. At most one {@code Engine} can be served, because a response
     * can contain the values of one moment ({@link EngineMetrics#atOneMoment}) for only one engine.
     *
     * @param metrics metrics of the engine.
     */
    public void serve(final EngineMetrics metrics)
    {
        metrics.bindTo(registry);
        calls.add(metrics);
        snapshots.reading = metrics::atOneMoment;
    }

    /**
     * Starts to serve the meters of a low-latency engine, in addition to meters that are already served.
     *
     * @param metrics metrics of the engine.
     */
    public void serve(final LowLatencyMetrics metrics)
    {
        metrics.bindTo(registry);
        calls.add(metrics);
    }

    /**
     * Serves the version of the program as the gauge {@code transload_build_info}, which is always 1.
     *
     * @param version version of the program.
     * @param commit  commit from which the program was built.
     */
    public void serveBuild(final String version, final String commit)
    {
        Gauge.builder("transload.build.info", () -> 1).description("Build of the program, by its labels.")
            .tags(Tags.of("version", version, "commit", commit)).register(registry);
    }

    private static void refuse(final HttpExchange exchange) throws IOException
    {
        try (exchange)
        {
            exchange.sendResponseHeaders(NOT_FOUND, NO_BODY);
        }
    }

    /**
     * Returns the address of the endpoint.
     *
     * @return URI of the metrics.
     */
    public URI uri()
    {
        final String host = address.getHostAddress();
        return URI.create("http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + server.getPort() + PATH);
    }

    @Override
    public void close()
    {
        server.close();
        requests.shutdownNow();
        registry.close();
    }

    /** Reads an engine's figures once for all meters of an answer. */
    private static final class OneMoment extends PrometheusRegistry
    {
        private volatile Reading reading = Supplier::get;

        @Override
        public MetricSnapshots scrape(final PrometheusScrapeRequest request)
        {
            return reading.of(() -> super.scrape(request));
        }

        @Override
        public MetricSnapshots scrape(final Predicate<String> names, final PrometheusScrapeRequest request)
        {
            return reading.of(() -> super.scrape(names, request));
        }
    }

    @FunctionalInterface
    private interface Reading
    {
        MetricSnapshots of(Supplier<MetricSnapshots> answer);
    }

    /** Answers requests, each within the limit: a thread reads a request that it answers, however slowly that comes. */
    private static final class Requests extends ThreadPoolExecutor
    {
        private final ScheduledThreadPoolExecutor clock;
        private final Duration limit;

        private Requests(final Duration limit)
        {
            super(THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                PrometheusEndpoint::thread);
            this.limit = limit;
            allowCoreThreadTimeOut(true);
            // A request that comes while all is closed is served without a limit, or not at all.
            clock = new ScheduledThreadPoolExecutor(1, PrometheusEndpoint::thread, new DiscardPolicy());
            clock.setRemoveOnCancelPolicy(true);
        }

        @Override
        public void execute(final Runnable exchange)
        {
            super.execute(() -> runWithinLimit(exchange));
        }

        @Override
        protected void terminated()
        {
            clock.shutdownNow();
        }

        /** An interrupt closes the connection. */
        private void runWithinLimit(final Runnable exchange)
        {
            final Alarm alarm = new Alarm(Thread.currentThread());
            final Future<?> ringing = clock.schedule(alarm::ring, limit.toMillis(), TimeUnit.MILLISECONDS);
            try
            {
                exchange.run();
            }
            finally
            {
                ringing.cancel(false);
                alarm.stop();
            }
        }
    }

    /** Interrupts a thread, but never in the exchange that comes next. */
    private static final class Alarm
    {
        private final Thread thread;
        private boolean isStopped;

        private Alarm(final Thread thread)
        {
            this.thread = thread;
        }

        private synchronized void ring()
        {
            if (!isStopped)
            {
                thread.interrupt();
            }
        }

        private synchronized void stop()
        {
            isStopped = true;
            Thread.interrupted();
        }
    }
}
