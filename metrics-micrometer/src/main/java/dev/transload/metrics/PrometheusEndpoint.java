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
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
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

    /** A request occupies a thread from its first byte on, whether or not the rest ever comes. */
    static final int THREADS = 16;
    private static final Duration REQUEST_LIMIT = Duration.ofSeconds(5);
    private static final int IDLE_SECONDS = 30;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final HttpServer server;
    private final Duration limit;
    private final ThreadPoolExecutor executor;
    private final ScheduledThreadPoolExecutor clock;
    private volatile Function<Supplier<String>, String> reading = Supplier::get;

    private PrometheusEndpoint(final HttpServer server, final Duration limit)
    {
        this.server = server;
        this.limit = limit;
        this.executor = new ThreadPoolExecutor(THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), PrometheusEndpoint::thread);
        executor.allowCoreThreadTimeOut(true);
        // A request that comes while all is closed is served without a limit, or not at all.
        this.clock = new ScheduledThreadPoolExecutor(
            1, PrometheusEndpoint::thread, new ThreadPoolExecutor.DiscardPolicy());
        clock.setRemoveOnCancelPolicy(true);
    }

    private static Thread thread(final Runnable task)
    {
        final Thread thread = new Thread(task, "transload-metrics");
        thread.setDaemon(true);
        return thread;
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
        return open(port, REQUEST_LIMIT);
    }

    /** Requests that are not answered within the limit lose their connection. */
    static PrometheusEndpoint open(final int port, final Duration limit) throws IOException
    {
        final InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        final PrometheusEndpoint endpoint = new PrometheusEndpoint(HttpServer.create(address, 0), limit);
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
        server.setExecutor((exchange) -> executor.execute(() -> runWithinLimit(exchange)));
        server.createContext("/", this::answer);
        server.start();
    }

    /** The server reads a request on the thread that answers it; an interrupt closes the connection. */
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
        clock.shutdownNow();
        registry.close();
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
