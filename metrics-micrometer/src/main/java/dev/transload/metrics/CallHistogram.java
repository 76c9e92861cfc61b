/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.metrics;

import dev.transload.engine.TimeBuckets;
import dev.transload.engine.lowlatency.LowLatencyCall;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Durations of calls as a classic Prometheus histogram, {@code transload_calls_seconds}. Quantiles over several ranks
 * can be computed from the histogram. Engines count calls in {@link TimeBuckets}, and Micrometer has no meter for such
 * counts. The histogram replaces the meter of the same name, and therefore also provides the series {@code _count} and
 * {@code _sum} of that meter.
 */
public final class CallHistogram
{
    private static final String NAME = "transload_calls_seconds";
    private static final double[] BOUNDS = bounds();

    private final List<Supplier<List<HistogramDataPointSnapshot>>> engines = new CopyOnWriteArrayList<>();

    private CallHistogram()
    {
    }

    /**
     * Creates a histogram in a registry. This method must be called before meters of engines are bound to the registry.
     *
     * @param registry registry that publishes the histogram.
     * @return histogram that counts no calls until {@code add} is called.
     */
    public static CallHistogram in(final PrometheusMeterRegistry registry)
    {
        final CallHistogram histogram = new CallHistogram();
        registry.config().meterFilter(MeterFilter.deny((id) -> EngineMetrics.CALLS_METER.equals(id.getName())));
        registry.getPrometheusRegistry().register(histogram.new Calls());
        return histogram;
    }

    /**
     * Adds the calls of an engine.
     *
     * @param metrics metrics of the engine. If one call of {@link EngineMetrics#atOneMoment} reads the metrics and the
     *                histogram, all values of the engine belong to the same moment.
     */
    public void add(final EngineMetrics metrics)
    {
        engines.add(() -> metrics.callTimes().stream()
            .map((call) -> point(metrics.tags(), call.kind(), call.ns(),
                call.byTime().stream().mapToLong(Long::longValue).toArray())).toList());
    }

    /**
     * Adds the calls of a low-latency engine.
     *
     * @param metrics metrics of the engine.
     */
    public void add(final LowLatencyMetrics metrics)
    {
        engines.add(() ->
        {
            final List<HistogramDataPointSnapshot> points = new ArrayList<>();
            for (final LowLatencyCall call : LowLatencyCall.values())
            {
                final long[] byTime = new long[TimeBuckets.COUNT];
                for (int bucket = 0; bucket < byTime.length; bucket++)
                {
                    byTime[bucket] = metrics.counters().calls(call, bucket);
                }

                points.add(point(metrics.tags(), call.text(), metrics.counters().callNs(call), byTime));
            }

            return points;
        });
    }

    private static HistogramDataPointSnapshot point(
        final Tags tags, final String kind, final long ns, final long[] byTime)
    {
        final List<String> names = new ArrayList<>();
        final List<String> values = new ArrayList<>();
        for (final Tag tag : tags.and("kind", kind))
        {
            names.add(tag.getKey());
            values.add(tag.getValue());
        }

        return HistogramDataPointSnapshot.builder().labels(Labels.of(names, values))
            .classicHistogramBuckets(ClassicHistogramBuckets.of(BOUNDS, byTime)).sum(seconds(ns)).build();
    }

    private static double[] bounds()
    {
        final double[] bounds = new double[TimeBuckets.COUNT];
        for (int bucket = 0; bucket < bounds.length; bucket++)
        {
            final long boundNs = TimeBuckets.boundNs(bucket);
            bounds[bucket] = Long.MAX_VALUE == boundNs ? Double.POSITIVE_INFINITY : seconds(boundNs);
        }

        return bounds;
    }

    private static double seconds(final long ns)
    {
        return ns / (double)TimeUnit.SECONDS.toNanos(1);
    }

    /** Of all engines that there are. */
    private final class Calls implements Collector
    {
        @Override
        public MetricSnapshot collect()
        {
            final HistogramSnapshot.Builder snapshot =
                HistogramSnapshot.builder().name(NAME).help("Calls that ended well, by their time.");
            engines.forEach((engine) -> engine.get().forEach(snapshot::dataPoint));
            return snapshot.build();
        }
    }
}
