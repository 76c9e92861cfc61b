/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.metrics;

import dev.transload.engine.lowlatency.LowLatencyCall;
import dev.transload.engine.lowlatency.LowLatencyCounters;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * Micrometer meters for the counters of a low-latency engine. Each meter has the tags {@code rank} and {@code engine}
 * (the number of the engine). The meters are listed in docs/observability.md. Meters of calls and waits have the same
 * names as those of {@link EngineMetrics}, but other values of the tags {@code kind} and {@code call}. One registry can
 * therefore contain the meters of both classes. Each value is read separately, so two values can belong to different
 * moments.
 */
public final class LowLatencyMetrics implements MeterBinder
{
    private static final double NS_PER_SECOND = 1e9;

    private final LowLatencyCounters counters;
    private final Tags tags;

    /**
     * Creates meters for an engine.
     *
     * @param engine open engine; the meters stay readable after the engine is closed.
     */
    public LowLatencyMetrics(final LowLatencyEngine engine)
    {
        this(engine.counters(), Tags.of("rank", String.valueOf(engine.world().rank()),
            "engine", String.valueOf(engine.number())));
    }

    LowLatencyMetrics(final LowLatencyCounters counters, final Tags tags)
    {
        this.counters = counters;
        this.tags = tags;
    }

    Tags tags()
    {
        return tags;
    }

    LowLatencyCounters counters()
    {
        return counters;
    }

    @Override
    public void bindTo(final MeterRegistry registry)
    {
        for (final LowLatencyCall call : LowLatencyCall.values())
        {
            bindCall(registry, call);
        }

        for (int expert = 0; expert < counters.maxLocalExperts(); expert++)
        {
            final int local = expert;
            counter(registry, "transload.low.latency.received.rows", "Rows that came to an expert of this rank", null,
                tags.and("local.expert", String.valueOf(local)), (now) -> now.rows(local));
        }

        for (int rank = 0; rank < counters.ranks(); rank++)
        {
            final int peer = rank;
            final ToDoubleFunction<LowLatencyMetrics> active = (self) -> counters.isActive(peer) ? 1 : 0;
            Gauge.builder("transload.low.latency.active", this, active)
                .description("1 for a rank that takes part, 0 for a masked one")
                .tags(tags.and("peer", String.valueOf(peer))).register(registry);
        }

        counter(registry, "transload.low.latency.left.out", "Selections whose experts' ranks were masked", null, tags,
            LowLatencyCounters::leftOut);
    }

    private void bindCall(final MeterRegistry registry, final LowLatencyCall call)
    {
        FunctionTimer.builder(EngineMetrics.CALLS_METER, this, (self) -> counters.calls(call),
            (self) -> counters.callNs(call), TimeUnit.NANOSECONDS)
            .description("Calls that ended well").tags(tags.and("kind", call.text())).register(registry);
        final Tags own = tags.and("call", call.text());
        counter(registry, "transload.low.latency.sent", "Rows and their messages put to other ranks", "bytes", own,
            (now) -> now.sentBytes(call));
        for (int rank = 0; rank < counters.ranks(); rank++)
        {
            final int peer = rank;
            counter(registry, "transload.peer.wait", "Waited for a rank", "seconds",
                own.and("peer", String.valueOf(peer)), (now) -> now.waitNs(call, peer) / NS_PER_SECOND);
        }
    }

    private void counter(
        final MeterRegistry registry, final String name, final String description, final String unit, final Tags own,
        final ToDoubleFunction<LowLatencyCounters> figure)
    {
        // Registries hold the object weakly; the function, which they hold strongly, keeps it alive.
        final ToDoubleFunction<LowLatencyMetrics> value = (self) -> figure.applyAsDouble(counters);
        FunctionCounter.builder(name, this, value).description(description).baseUnit(unit).tags(own)
            .register(registry);
    }
}
