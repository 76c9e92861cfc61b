/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dashboard and alerts ask for figures that there are. */
class DashboardTest
{
    private static final Path DEPLOY = Path.of("..", "deploy");
    private static final Pattern METRIC = Pattern.compile("\\btransload_[a-z_]+");
    private static final Pattern SERVED = Pattern.compile("^(transload_[a-z_]+)\\{", Pattern.MULTILINE);

    @ParameterizedTest
    @ValueSource(strings = { "grafana/transload.json", "prometheus/transload-alerts.yml" })
    void shouldAskForServedFiguresOnly(final String file) throws IOException
    {
        final Set<String> asked = names(METRIC, Files.readString(DEPLOY.resolve(file)));
        final Set<String> unknown = new TreeSet<>(asked);
        unknown.removeAll(served());

        assertEquals(Set.of(), unknown);
        assertTrue(asked.size() > 4, asked::toString);
    }

    @Test
    void shouldHavePanelsThatDoNotOverlapAndHaveAUnit()
    {
        final Config dashboard = ConfigFactory.parseFile(DEPLOY.resolve("grafana/transload.json").toFile());
        final List<? extends Config> panels = dashboard.getConfigList("panels");
        final Set<String> places = new TreeSet<>();
        for (final Config panel : panels)
        {
            assertTrue(places.add(panel.getInt("gridPos.x") + " " + panel.getInt("gridPos.y")), panel::toString);
            assertFalse(panel.getString("fieldConfig.defaults.unit").isBlank(), panel::toString);
            assertFalse(panel.getConfigList("targets").isEmpty(), panel::toString);
        }

        assertEquals(14, panels.size());
    }

    /** A quantile of sums over ranks needs the bounds of buckets, and each kind of call for itself. */
    @Test
    void shouldShowQuantilesOfCallsFromTheirBuckets()
    {
        final Config dashboard = ConfigFactory.parseFile(DEPLOY.resolve("grafana/transload.json").toFile());
        final List<String> quantiles = dashboard.getConfigList("panels").stream()
            .flatMap((panel) -> panel.getConfigList("targets").stream()).map((target) -> target.getString("expr"))
            .filter((expression) -> expression.startsWith("histogram_quantile(")).toList();

        assertEquals(2, quantiles.size());
        quantiles.forEach((expression) -> assertTrue(expression.contains(
            "sum by (le, kind) (rate(transload_calls_seconds_bucket{"), expression));
    }

    private static Set<String> served()
    {
        final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        final Tags tags = Tags.of("rank", "0", "engine", "0");
        final CallHistogram calls = CallHistogram.in(registry);
        final EngineMetrics engine = new EngineMetrics(new FakeCounters(), tags, 4, -1);
        engine.bindTo(registry);
        calls.add(engine);
        new LowLatencyMetrics(new FakeLowLatencyCounters(), tags).bindTo(registry);
        final Set<String> names = names(SERVED, registry.scrape());
        registry.close();
        return names;
    }

    private static Set<String> names(final Pattern pattern, final String text)
    {
        final Set<String> names = new TreeSet<>();
        final Matcher matcher = pattern.matcher(text);
        while (matcher.find())
        {
            names.add(matcher.group(matcher.groupCount()));
        }

        return names;
    }
}
