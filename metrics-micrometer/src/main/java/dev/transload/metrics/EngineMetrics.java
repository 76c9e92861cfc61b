/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.metrics;

import dev.transload.engine.CallTime;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineCounters;
import dev.transload.engine.PeerWait;
import dev.transload.engine.Traffic;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Micrometer meters for the counters of an engine. Each meter has the tags {@code rank} and {@code engine} (the number
 * of the engine), so one registry can contain the meters of several engines. The meters are listed in
 * docs/observability.md. Reading a meter takes no lock of the engine. Values are at most 10 ms old.
 * {@link #atOneMoment} reads several values from the same moment.
 */
public final class EngineMetrics implements MeterBinder
{
    /** Number and time of calls; {@link CallHistogram} has both under the same name. */
    static final String CALLS_METER = "transload.calls";
    private static final long MAX_AGE_NS = 10_000_000L;
    private static final double NS_PER_SECOND = 1e9;
    private static final List<String> CALLS =
        List.of(Traffic.DISPATCH_SCALE_OUT.call(), Traffic.COMBINE_SCALE_OUT.call());

    private final EngineCounters counters;
    private final int ranks;
    private final Tags tags;
    private final long maxAgeNs;
    private final ThreadLocal<Snapshot> held = new ThreadLocal<>();
    private Snapshot latest;

    /**
     * Creates meters for an engine.
     *
     * @param engine open engine; the meters stay readable after the engine is closed.
     */
    public EngineMetrics(final Engine engine)
    {
        this(engine.counters(), Tags.of("rank", String.valueOf(engine.world().rank()),
            "engine", String.valueOf(engine.number())), engine.world().size(), MAX_AGE_NS);
    }

    EngineMetrics(final EngineCounters counters, final Tags tags, final int ranks, final long maxAgeNs)
    {
        this.counters = counters;
        this.maxAgeNs = maxAgeNs;
        this.ranks = ranks;
        this.tags = tags;
        this.latest = Snapshot.of(counters);
    }

    /**
     * Reads several meters at the same moment. All values that the calling thread reads inside {@code reading} belong
     * to the moment at which the outermost call of this method began.
     *
     * @param reading function that reads the meters.
     * @param <T>     type of the result.
     * @return result of {@code reading}.
     */
    public <T> T atOneMoment(final Supplier<T> reading)
    {
        if (null != held.get())
        {
            return reading.get();
        }

        held.set(renewed());
        try
        {
            return reading.get();
        }
        finally
        {
            held.remove();
        }
    }

    Tags tags()
    {
        return tags;
    }

    List<CallTime> callTimes()
    {
        return snapshot().calls();
    }

    private Snapshot snapshot()
    {
        final Snapshot now = held.get();
        return null == now ? recent() : now;
    }

    private synchronized Snapshot recent()
    {
        return System.nanoTime() - latest.takenNs() > maxAgeNs ? renewed() : latest;
    }

    private synchronized Snapshot renewed()
    {
        latest = Snapshot.of(counters);
        return latest;
    }

    @Override
    public void bindTo(final MeterRegistry registry)
    {
        final Snapshot first = snapshot();
        bindCalls(registry, first);
        bindTraffic(registry);
        bindWaits(registry);
        bindRoles(registry, first);
        counter(registry, "transload.back.pressure", "Operations that a transport refused for the time being", null,
            tags, Snapshot::backPressure);
        counter(registry, "transload.staged", "Copied between device and host memory of the rank", "bytes", tags,
            Snapshot::stagedBytes);
    }

    private void bindCalls(final MeterRegistry registry, final Snapshot first)
    {
        for (int i = 0; i < first.calls().size(); i++)
        {
            final int kind = i;
            FunctionTimer.builder(CALLS_METER, this, (self) -> snapshot().calls().get(kind).calls(),
                (self) -> snapshot().calls().get(kind).ns(), TimeUnit.NANOSECONDS)
                .description("Calls that ended well").tags(tags.and("kind", first.calls().get(i).kind()))
                .register(registry);
        }
    }

    private void bindTraffic(final MeterRegistry registry)
    {
        for (final Traffic traffic : Traffic.values())
        {
            final Tags own = tags.and("call", traffic.call(), "stage", traffic.stage());
            counter(registry, "transload.moved.rows", "Rows sent to ranks, by way of rings or in place", null, own,
                (now) -> now.of(traffic).rows());
            counter(registry, "transload.moved", "Payload and metadata sent to ranks, by way of rings or in place",
                "bytes", own, (now) -> now.of(traffic).bytes());
            final ToDoubleFunction<EngineMetrics> most = (self) -> snapshot().of(traffic).ringHighWater();
            Gauge.builder("transload.ring.fullest", this, most)
                .description("Most rows that lay in one ring of this rank").baseUnit("rows").tags(own)
                .register(registry);
        }
    }

    private void bindWaits(final MeterRegistry registry)
    {
        for (final String call : CALLS)
        {
            for (int rank = 0; rank < ranks; rank++)
            {
                final int peer = rank;
                seconds(registry, "transload.peer.wait", "Waited for a rank",
                    tags.and("call", call, "peer", String.valueOf(peer)),
                    (now) -> now.waitNs((wait) -> wait.rank() == peer && call.equals(wait.call())));
            }

            for (final String counter : PeerWait.counters())
            {
                seconds(registry, "transload.counter.wait", "Engine threads waited for a counter",
                    tags.and("call", call, "counter", counter),
                    (now) -> now.waitNs((wait) -> counter.equals(wait.counter()) && call.equals(wait.call())));
            }

            counter(registry, "transload.credit.waits", "Times that a thread began to wait for credit", null,
                tags.and("call", call), (now) -> now.waits((wait) -> wait.isCredit() && call.equals(wait.call())));
        }
    }

    private void bindRoles(final MeterRegistry registry, final Snapshot first)
    {
        for (int i = 0; i < first.roles().size(); i++)
        {
            final int at = i;
            final Tags own = tags.and("role", first.roles().get(i).role());
            final String description = "Duty cycles of roles while calls were under way";
            seconds(registry, "transload.role", description, own.and("state", "busy"),
                (now) -> now.roles().get(at).busyNs());
            seconds(registry, "transload.role", description, own.and("state", "waiting"),
                (now) -> now.roles().get(at).waitNs());
        }
    }

    private void seconds(
        final MeterRegistry registry, final String name, final String description, final Tags own,
        final ToLongFunction<Snapshot> ns)
    {
        final ToDoubleFunction<EngineMetrics> value = (self) -> ns.applyAsLong(snapshot()) / NS_PER_SECOND;
        FunctionCounter.builder(name, this, value).description(description).baseUnit("seconds").tags(own)
            .register(registry);
    }

    private void counter(
        final MeterRegistry registry, final String name, final String description, final String unit, final Tags own,
        final ToLongFunction<Snapshot> figure)
    {
        // Registries hold the object weakly; the function, which they hold strongly, keeps it alive.
        final ToDoubleFunction<EngineMetrics> value = (self) -> figure.applyAsLong(snapshot());
        FunctionCounter.builder(name, this, value).description(description).baseUnit(unit).tags(own)
            .register(registry);
    }
}
