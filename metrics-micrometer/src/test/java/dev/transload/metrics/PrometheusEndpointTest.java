/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Scraped as Prometheus would, over HTTP. */
@Timeout(60)
class PrometheusEndpointTest
{
    private static final long RENEWED_AT_EVERY_READ = -1;
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][\\w:]*\\{[^}]*\\}) (\\S+)");

    private static final Tags TAGS = Tags.of("rank", "2", "engine", "0");

    private final HttpClient client = HttpClient.newHttpClient();
    private final FakeCounters counters = new FakeCounters();
    private PrometheusEndpoint endpoint;

    @BeforeEach
    void open() throws IOException
    {
        endpoint = PrometheusEndpoint.open(0, new EngineMetrics(counters, TAGS, 4, RENEWED_AT_EVERY_READ));
    }

    @AfterEach
    void close()
    {
        endpoint.close();
    }

    @Test
    void shouldServeEveryCounterWithItsUnitAndRank() throws Exception
    {
        counters.unit = 1;
        final Map<String, Double> samples = scrape();
        assertSample(samples, 1, "transload_calls_seconds_count", "kind=\"dispatch\"");
        assertSample(samples, 2, "transload_calls_seconds_sum", "kind=\"dispatch\"");
        assertSample(samples, 3, "transload_calls_seconds_count", "kind=\"cached dispatch\"");
        assertSample(samples, 6, "transload_calls_seconds_sum", "kind=\"combine\"");
        assertSample(samples, 0, "transload_calls_seconds_bucket", "kind=\"dispatch\"", "le=\"2.0E-5\"");
        assertSample(samples, 1, "transload_calls_seconds_bucket", "kind=\"dispatch\"", "le=\"5.0E-5\"");
        assertSample(samples, 3, "transload_calls_seconds_bucket", "kind=\"cached dispatch\"", "le=\"1.0E-5\"");
        assertSample(samples, 0, "transload_calls_seconds_bucket", "kind=\"combine\"", "le=\"10.0\"");
        assertSample(samples, 5, "transload_calls_seconds_bucket", "kind=\"combine\"", "le=\"+Inf\"");
        assertSample(samples, 10, "transload_moved_rows_total", "call=\"dispatch\"", "stage=\"scale-out\"");
        assertSample(samples, 21, "transload_moved_bytes_total", "call=\"dispatch\"", "stage=\"scale-up\"");
        assertSample(samples, 42, "transload_ring_fullest_rows", "call=\"combine\"", "stage=\"scale-up\"");
        assertSample(samples, 15, "transload_peer_wait_seconds_total", "call=\"dispatch\"", "peer=\"1\"");
        assertSample(samples, 0, "transload_peer_wait_seconds_total", "call=\"combine\"", "peer=\"3\"");
        assertSample(samples, 7, "transload_counter_wait_seconds_total", "call=\"dispatch\"",
            "counter=\"scale-out.tail\"");
        assertSample(samples, 80, "transload_credit_waits_total", "call=\"dispatch\"");
        assertSample(samples, 90, "transload_credit_waits_total", "call=\"combine\"");
        assertSample(samples, 11, "transload_role_seconds_total", "role=\"receiver\"", "state=\"busy\"");
        assertSample(samples, 12, "transload_role_seconds_total", "role=\"receiver\"", "state=\"waiting\"");
        assertSample(samples, 13, "transload_back_pressure_total");
        assertSample(samples, 14, "transload_staged_bytes_total");
        assertTrue(samples.keySet().stream().allMatch((key) -> key.contains("rank=\"2\"")), samples::toString);
    }

    @Test
    void shouldServeEveryCounterOfLowLatency() throws Exception
    {
        final FakeLowLatencyCounters latency = new FakeLowLatencyCounters();
        endpoint.close();
        endpoint = PrometheusEndpoint.open(0, new LowLatencyMetrics(latency, TAGS));
        latency.unit = 1;
        final Map<String, Double> samples = scrape();
        assertSample(samples, 1, "transload_calls_seconds_count", "kind=\"low-latency dispatch\"");
        assertSample(samples, 2, "transload_calls_seconds_count", "kind=\"low-latency combine\"");
        assertSample(samples, 3, "transload_calls_seconds_sum", "kind=\"low-latency dispatch\"");
        assertSample(samples, 6, "transload_calls_seconds_sum", "kind=\"low-latency combine\"");
        assertSample(samples, 0, "transload_calls_seconds_bucket", "kind=\"low-latency combine\"", "le=\"1.0E-5\"");
        assertSample(samples, 2, "transload_calls_seconds_bucket", "kind=\"low-latency combine\"", "le=\"2.0E-5\"");
        assertSample(samples, 5, "transload_low_latency_sent_bytes_total", "call=\"low-latency dispatch\"");
        assertSample(samples, 10, "transload_low_latency_sent_bytes_total", "call=\"low-latency combine\"");
        assertSample(samples, 70, "transload_peer_wait_seconds_total", "call=\"low-latency dispatch\"", "peer=\"0\"");
        assertSample(samples, 146, "transload_peer_wait_seconds_total", "call=\"low-latency combine\"", "peer=\"3\"");
        assertSample(samples, 110, "transload_low_latency_received_rows_total", "local_expert=\"0\"");
        assertSample(samples, 111, "transload_low_latency_received_rows_total", "local_expert=\"1\"");
        assertSample(samples, 13, "transload_low_latency_left_out_total");
        assertSample(samples, 1, "transload_low_latency_active", "peer=\"0\"");
        assertSample(samples, 0, "transload_low_latency_active", "peer=\"1\"");
        assertTrue(samples.keySet().stream().allMatch((key) -> key.contains("rank=\"2\"")), samples::toString);
        latency.unit = 2;
        assertSample(scrape(), 26, "transload_low_latency_left_out_total");
    }

    @Test
    void shouldHaveRoomForBothModesInOneRegistry()
    {
        final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        registry.throwExceptionOnRegistrationFailure();
        new EngineMetrics(counters, TAGS, 4, RENEWED_AT_EVERY_READ).bindTo(registry);
        new LowLatencyMetrics(new FakeLowLatencyCounters(), TAGS).bindTo(registry);
        final String text = registry.scrape();
        registry.close();
        for (final String call : List.of("dispatch", "low-latency combine"))
        {
            assertTrue(text.contains("transload_peer_wait_seconds_total{call=\"" + call +
                "\",engine=\"0\",peer=\"3\""), text);
            assertTrue(text.contains("transload_calls_seconds_count{engine=\"0\",kind=\"" + call + "\""), text);
        }
    }

    @Test
    void shouldTellEnginesOfOneRegistryApart()
    {
        final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        registry.throwExceptionOnRegistrationFailure();
        final FakeCounters others = new FakeCounters();
        counters.unit = 1;
        others.unit = 2;
        new EngineMetrics(counters, TAGS, 4, RENEWED_AT_EVERY_READ).bindTo(registry);
        new EngineMetrics(others, Tags.of("rank", "2", "engine", "1"), 4, RENEWED_AT_EVERY_READ).bindTo(registry);
        final String text = registry.scrape();
        registry.close();
        assertTrue(text.contains("transload_back_pressure_total{engine=\"0\",rank=\"2\"} 13.0"), text);
        assertTrue(text.contains("transload_back_pressure_total{engine=\"1\",rank=\"2\"} 26.0"), text);
    }

    @Test
    void shouldServeWhatGrewSinceTheLastScrape() throws Exception
    {
        counters.unit = 5;
        assertSample(scrape(), 65, "transload_back_pressure_total");
        counters.unit = 6;
        assertSample(scrape(), 78, "transload_back_pressure_total");
    }

    @Test
    void shouldServeFiguresOfOneMoment() throws Exception
    {
        counters.growing = true;
        final Map<String, Double> samples = scrape();
        final double unit = samples.get(find(samples, "transload_calls_seconds_count", "kind=\"dispatch\""));
        assertSample(samples, 80 * unit, "transload_credit_waits_total", "call=\"dispatch\"");
        assertSample(samples, 11 * unit, "transload_role_seconds_total", "role=\"receiver\"", "state=\"busy\"");
        assertSample(samples, 14 * unit, "transload_staged_bytes_total");
        assertTrue(unit < scrape().get(find(samples, "transload_calls_seconds_count", "kind=\"dispatch\"")));
    }

    @Test
    void shouldSayThatItIsPrometheusText() throws Exception
    {
        final HttpResponse<String> response = get(endpoint.uri());
        assertEquals(200, response.statusCode());
        assertEquals("text/plain; version=0.0.4; charset=utf-8",
            response.headers().firstValue("Content-Type").orElseThrow());
        assertTrue(response.body().contains("# TYPE transload_moved_bytes_total counter"), response.body());
    }

    @Test
    void shouldKnowFiguresAndHealthAndNothingElse() throws Exception
    {
        assertEquals(404, get(endpoint.uri().resolve("/")).statusCode());
        assertEquals(404, get(endpoint.uri().resolve("/more")).statusCode());
        assertEquals(200, get(endpoint.uri().resolve("/-/healthy")).statusCode());
    }

    @Test
    void shouldServeOpenMetricsToWhoeverAsksForIt() throws Exception
    {
        final HttpResponse<String> response = client.send(HttpRequest.newBuilder(endpoint.uri())
            .header("Accept", "application/openmetrics-text; version=1.0.0").build(),
            HttpResponse.BodyHandlers.ofString());

        assertTrue(response.headers().firstValue("Content-Type").orElseThrow()
            .startsWith("application/openmetrics-text"), response.headers()::toString);
        assertTrue(response.body().endsWith("# EOF\n"), response.body());
    }

    @Test
    void shouldServeWhichBuildItIs() throws Exception
    {
        endpoint.serveBuild("0.1.0", "abc123");

        assertTrue(get(endpoint.uri()).body()
            .contains("transload_build_info{commit=\"abc123\",version=\"0.1.0\"} 1"));
    }

    @Test
    void shouldBeReachedOverLoopbackAlone() throws Exception
    {
        final InetAddress own = InetAddress.getByName(endpoint.uri().getHost());
        assertTrue(own.isLoopbackAddress());
        for (final InetAddress other : otherAddresses())
        {
            try (Socket socket = new Socket())
            {
                assertThrows(ConnectException.class, () -> socket.connect(
                    new InetSocketAddress(other, endpoint.uri().getPort())), other::toString);
            }
        }
    }

    @Test
    void shouldSayThatThePortIsTaken()
    {
        final EngineMetrics other =
            new EngineMetrics(counters, Tags.of("rank", "0", "engine", "0"), 4, RENEWED_AT_EVERY_READ);
        assertThrows(IOException.class, () -> PrometheusEndpoint.open(endpoint.uri().getPort(), other));
    }

    @Test
    void shouldAnswerWhileOthersSendHalfRequests() throws Exception
    {
        endpoint.close();
        endpoint = PrometheusEndpoint.open(0, Duration.ofMinutes(1));
        try (Socket first = halfRequest(); Socket second = halfRequest())
        {
            assertEquals(200, get(endpoint.uri()).statusCode());
            for (final Socket half : List.of(first, second))
            {
                half.getOutputStream().write("rics HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                final String answer =
                    new String(half.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
                assertTrue(answer.startsWith("HTTP/1.1 200"), answer);
            }
        }
    }

    @Test
    void shouldCloseWhatIsNotWholeInTimeAndGoOn() throws Exception
    {
        endpoint.close();
        endpoint = PrometheusEndpoint.open(0, Duration.ofMillis(100));
        final List<Socket> halves = new ArrayList<>();
        try
        {
            for (int i = 0; i < 2 * PrometheusEndpoint.THREADS; i++)
            {
                halves.add(halfRequest());
            }

            assertEquals(200, get(endpoint.uri()).statusCode());
            for (final Socket half : halves)
            {
                half.setSoTimeout(20_000);
                assertEquals(-1, half.getInputStream().read());
            }

            assertEquals(200, get(endpoint.uri()).statusCode());
        }
        finally
        {
            for (final Socket half : halves)
            {
                half.close();
            }
        }
    }

    private Socket halfRequest() throws IOException
    {
        final Socket socket = new Socket(endpoint.uri().getHost(), endpoint.uri().getPort());
        socket.getOutputStream().write("GET /met".getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private Map<String, Double> scrape() throws Exception
    {
        final Map<String, Double> samples = new HashMap<>();
        get(endpoint.uri()).body().lines().filter((line) -> !line.startsWith("#")).forEach((line) ->
        {
            final Matcher sample = SAMPLE.matcher(line);
            assertTrue(sample.matches(), line);
            samples.put(sample.group(1), Double.valueOf(sample.group(2)));
        });
        return samples;
    }

    private HttpResponse<String> get(final URI uri) throws Exception
    {
        return client.send(
            HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(20)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static void assertSample(
        final Map<String, Double> samples, final double value, final String name, final String... labels)
    {
        assertEquals(value, samples.get(find(samples, name, labels)), name + List.of(labels));
    }

    private static String find(final Map<String, Double> samples, final String name, final String... labels)
    {
        return samples.keySet().stream().filter((key) -> key.startsWith(name + "{"))
            .filter((key) -> List.of(labels).stream().allMatch(key::contains)).findFirst()
            .orElseThrow(() -> new AssertionError(name + List.of(labels) + " in " + samples.keySet()));
    }

    private static List<InetAddress> otherAddresses() throws IOException
    {
        return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
            .filter((address) -> !address.isLoopbackAddress() && !address.isLinkLocalAddress()).toList();
    }
}
