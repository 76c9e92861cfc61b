/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * An engine's meters as Prometheus text over HTTP, for scrapers of this host: the address is loopback, whatever is
 * configured. All figures of one text are of one moment; of low latency each is of the moment at which it is read.
 */
public final class PrometheusEndpoint implements AutoCloseable
{
    private static final String PATH = "/metrics";
    private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    private static final int NOT_ALLOWED = 405;
    private static final int NO_BODY = -1;
    private static final int THREADS = 2;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final HttpServer server;
    private final ExecutorService executor;
    private volatile Function<Supplier<String>, String> reading = Supplier::get;

    private PrometheusEndpoint(final HttpServer server)
    {
        this.server = server;
        this.executor = Executors.newFixedThreadPool(THREADS, (task) ->
        {
            final Thread thread = new Thread(task, "transload-metrics");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Take a port, before there is an engine: its text is empty until {@code serve}.
     *
     * @param port of loopback, 0 for any free one.
     * @return endpoint, open until it is closed.
     * @throws IOException if the port is not to be had.
     */
    public static PrometheusEndpoint open(final int port) throws IOException
    {
        final InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        final PrometheusEndpoint endpoint = new PrometheusEndpoint(HttpServer.create(address, 0));
        endpoint.start();
        return endpoint;
    }

    /**
     * Serve the figures of an engine.
     *
     * @param port    of loopback, 0 for any free one.
     * @param metrics of the engine.
     * @return endpoint, serving until it is closed.
     * @throws IOException if the port is not to be had.
     */
    public static PrometheusEndpoint open(final int port, final EngineMetrics metrics) throws IOException
    {
        final PrometheusEndpoint endpoint = open(port);
        endpoint.serve(metrics);
        return endpoint;
    }

    /**
     * Serve the figures of a low-latency engine.
     *
     * @param port    of loopback, 0 for any free one.
     * @param metrics of the engine.
     * @return endpoint, serving until it is closed.
     * @throws IOException if the port is not to be had.
     */
    public static PrometheusEndpoint open(final int port, final LowLatencyMetrics metrics) throws IOException
    {
        final PrometheusEndpoint endpoint = open(port);
        endpoint.serve(metrics);
        return endpoint;
    }

    /**
     * From now on, serve the figures of an engine; of one at most, since all figures of one text are of one moment.
     *
     * @param metrics of the engine.
     */
    public void serve(final EngineMetrics metrics)
    {
        metrics.bindTo(registry);
        reading = metrics::atOneMoment;
    }

    /**
     * From now on, serve the figures of a low-latency engine, too.
     *
     * @param metrics of the engine.
     */
    public void serve(final LowLatencyMetrics metrics)
    {
        metrics.bindTo(registry);
    }

    private void start()
    {
        server.setExecutor(executor);
        server.createContext("/", this::answer);
        server.start();
    }

    private void answer(final HttpExchange exchange) throws IOException
    {
        try (exchange)
        {
            if (!PATH.equals(exchange.getRequestURI().getPath()))
            {
                exchange.sendResponseHeaders(NOT_FOUND, NO_BODY);
            }
            else if (!"GET".equals(exchange.getRequestMethod()))
            {
                exchange.getResponseHeaders().set("Allow", "GET");
                exchange.sendResponseHeaders(NOT_ALLOWED, NO_BODY);
            }
            else
            {
                final byte[] text = reading.apply(() -> registry.scrape(TEXT)).getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().set("Content-Type", TEXT);
                exchange.sendResponseHeaders(OK, text.length);
                exchange.getResponseBody().write(text);
            }
        }
    }

    /**
     * Where it serves.
     *
     * @return address of the text.
     */
    public URI uri()
    {
        final InetSocketAddress address = server.getAddress();
        final String host = address.getAddress().getHostAddress();
        return URI.create("http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort() + PATH);
    }

    @Override
    public void close()
    {
        server.stop(0);
        executor.shutdownNow();
        registry.close();
    }
}
