/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.program.BuildInfo;
import dev.transload.cli.rank.RankComposition;
import dev.transload.engine.DataType;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.lowlatency.LowLatencyCombineRequest;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.engine.lowlatency.LowLatencyDispatchRequest;
import dev.transload.engine.lowlatency.LowLatencyDispatchResult;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.engine.lowlatency.LowLatencyOutput;
import dev.transload.kernels.RowKernels;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Low-latency dispatch and combine between all ranks, beside what any exchange over the transport costs: see
 * {@link BenchMesh}. Rows that stay on their rank count as copies in its memory, the others as bytes of exchanges. All
 * are measured interleaved in the same processes, so that a busy machine slows all of them; the slowest rank of each
 * call counts.
 */
final class LowLatencyBench implements AutoCloseable
{
    static final int HIDDEN = 7168;
    static final int TOPK = 8;
    static final int EXPERTS_PER_RANK = 8;
    static final int MAX_TOKENS = 128;

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int ROW_BYTES = HIDDEN * Short.BYTES;
    private static final int[] TOKENS = { 1, 8, 32, MAX_TOKENS };
    private static final int SMALL_PUT = 16;
    private static final int ROUNDS = 6;
    private static final int WARM_UP_CALLS = 2000;

    /** An emulator's speed tells nothing. */
    private static final int EMULATED_CALLS = 4;

    /** Of a round: about so many tokens together, but at least so many calls. */
    private static final int TOKENS_IN_ROUND = 1280;
    private static final int LEAST_CALLS = 20;
    private static final int MOST_CALLS = 200;
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final Rendezvous rendezvous;
    private final RankPlace place;
    private final BenchMesh mesh;
    private final LowLatencyEngine engine;
    private final boolean isEmulated;
    private final LowLatencyOutput output;
    private final Tensor x;
    private final Tensor combined;
    private final Tensor topkIdx;
    private final Tensor weights;
    private final Map<String, List<Long>> samples = new LinkedHashMap<>();
    private final BenchRouting routing;
    private final RowKernels kernels;
    private final RowList copies;

    LowLatencyBench(final RankPlace place, final Rendezvous rendezvous, final BenchTask task)
    {
        this.place = place;
        this.rendezvous = rendezvous;
        final int ranks = rendezvous.worldSize();
        this.mesh = new BenchMesh(place, rendezvous, task, MAX_TOKENS * TOPK / ranks, ROW_BYTES);
        this.engine = RankComposition.lowLatencyEngine(
            LowLatencyConfig.from(place.settings().config()), rendezvous);
        this.isEmulated = mesh.transport().capabilities().has(Capability.EMULATED);
        this.output = engine.allocateOutput(EXPERTS_PER_RANK * ranks, HIDDEN, DataType.BF16, null);
        this.x = tensor(engine.allocatePayload((long)MAX_TOKENS * ROW_BYTES), DataType.BF16, HIDDEN);
        this.combined = tensor(engine.allocatePayload((long)MAX_TOKENS * ROW_BYTES), DataType.BF16, HIDDEN);
        this.topkIdx = tensor(engine.allocateHost(MAX_TOKENS * TOPK * Long.BYTES), DataType.I64, TOPK);
        this.weights = tensor(engine.allocateHost(MAX_TOKENS * TOPK * Float.BYTES), DataType.F32, TOPK);
        this.routing = new BenchRouting(ranks);
        route();
        this.kernels = KernelRegistry.discover().open(engine.config().common());
        this.copies = kernels.allocateRows(MAX_TOKENS * TOPK / ranks).rowLength(ROW_BYTES);
        for (int row = 0; row < MAX_TOKENS * TOPK / ranks; row++)
        {
            copies.set(row, (long)(row % MAX_TOKENS) * ROW_BYTES, (long)row * ROW_BYTES);
        }
    }

    /**
     * Measure.
     *
     * @param rounds told of what there is after each round that counts.
     * @return all of it.
     */
    ObjectNode run(final Consumer<ObjectNode> rounds)
    {
        final int ranks = rendezvous.worldSize();
        final int rows = MAX_TOKENS * TOPK / ranks;
        for (int i = 0; i < (isEmulated ? EMULATED_CALLS : WARM_UP_CALLS); i++)
        {
            mesh.exchange(0, SMALL_PUT);
            call(1, null, null);
        }

        ObjectNode report = null;
        for (int round = 0; round < ROUNDS; round++)
        {
            place.progress().step("low latency", round, ROUNDS);
            // The first one warms up.
            final boolean isCounted = round > 0;
            measure("exchange", isCounted, calls(1), () -> mesh.exchange(0, SMALL_PUT));
            measure("rows", isCounted, calls(MAX_TOKENS), () -> mesh.exchange(rows, 0));
            measure("copies", isCounted, calls(MAX_TOKENS), () -> copy(rows));
            for (final int tokens : TOKENS)
            {
                for (int i = 0; i < calls(tokens); i++)
                {
                    call(tokens, isCounted ? of("dispatch", tokens) : null, isCounted ? of("combine", tokens) : null);
                }
            }

            if (isCounted)
            {
                report = report(ranks, rows, round);
                rounds.accept(report);
            }
        }

        return report;
    }

    /** While all other ranks do the same. */
    private long copy(final int rows)
    {
        mesh.exchange(0, SMALL_PUT);
        final long begin = System.nanoTime();
        final MemoryRegion target = output.x().memory().scaleUpRegion();
        long position = kernels.copyRows(x.memory().scaleUpRegion(), target, copies, 0, rows);
        while (position < 0 || kernels.completedPosition() < position)
        {
            kernels.progress();
            position = position < 0 ?
                kernels.copyRows(x.memory().scaleUpRegion(), target, copies, 0, rows) : position;
        }

        return System.nanoTime() - begin;
    }

    private int calls(final int tokens)
    {
        return isEmulated ? EMULATED_CALLS : Math.min(MOST_CALLS, Math.max(LEAST_CALLS, TOKENS_IN_ROUND / tokens));
    }

    private void measure(final String name, final boolean isCounted, final int count, final LongSupplier exchange)
    {
        for (int i = 0; i < count; i++)
        {
            final long ns = exchange.getAsLong();
            if (isCounted)
            {
                of(name, 0).add(ns);
            }
        }
    }

    private List<Long> of(final String name, final int tokens)
    {
        return samples.computeIfAbsent(name + "-" + tokens, (key) -> new ArrayList<>());
    }

    private void call(final int tokens, final List<Long> dispatchNs, final List<Long> combineNs)
    {
        final LowLatencyDispatchRequest request = LowLatencyDispatchRequest.of(
            x.firstRows(tokens), topkIdx.firstRows(tokens), EXPERTS_PER_RANK * rendezvous.worldSize(), output).atOnce();
        final long begin = System.nanoTime();
        final LowLatencyDispatchResult result = engine.dispatch(request);
        final long dispatched = System.nanoTime();
        final LowLatencyCombineRequest answer = LowLatencyCombineRequest.of(
            result, output.x(), weights.firstRows(tokens), combined.firstRows(tokens));
        final long combining = System.nanoTime();
        engine.combine(answer).receive();
        final long end = System.nanoTime();
        if (null != dispatchNs)
        {
            dispatchNs.add(dispatched - begin);
            combineNs.add(end - combining);
        }
    }

    /** Of the rounds so far. Ranks have equally many samples of each kind, which belong together. */
    private ObjectNode report(final int ranks, final long rows, final int round)
    {
        final Map<String, SlowestSamples> slowest = new LinkedHashMap<>();
        samples.forEach((name, ns) ->
        {
            final ByteBuffer own = ByteBuffer.allocate(ns.size() * Long.BYTES);
            ns.forEach(own::putLong);
            slowest.put(name, SlowestSamples.of(
                rendezvous.allGather("bench.low-latency." + round + "." + name, own.flip(), LONGEST)));
        });
        final Capabilities capabilities = mesh.transport().capabilities();
        final double exchangeMicros = slowest.get("exchange-0").micros(50);
        final double bytesPerMicro = (ranks - 1) * rows * ROW_BYTES / slowest.get("rows-0").micros(50);
        final double copiedPerMicro = rows * ROW_BYTES / slowest.get("copies-0").micros(50);
        final ObjectNode report = JSON.createObjectNode().put("transport", capabilities.transport())
            .put("ranks", ranks).put("experts", EXPERTS_PER_RANK * ranks).put("topk", TOPK).put("hidden", HIDDEN)
            .put("exchange_micros", SlowestSamples.rounded(exchangeMicros))
            .put("exchange_GBps", SlowestSamples.rounded(bytesPerMicro / 1e3))
            .put("copy_GBps", SlowestSamples.rounded(copiedPerMicro / 1e3));
        report.set("build", BuildInfo.own().json());
        for (final String operation : List.of("dispatch", "combine"))
        {
            for (final int tokens : TOKENS)
            {
                final SlowestSamples calls = slowest.get(operation + "-" + tokens);
                final long bytes = (long)routing.crossing(tokens) * ROW_BYTES / ranks;
                final long ownBytes = (long)tokens * TOPK * ROW_BYTES - bytes;
                final double floorMicros = exchangeMicros + bytes / bytesPerMicro + ownBytes / copiedPerMicro;
                final ObjectNode result = report.withArray("results").addObject()
                    .put("operation", operation).put("tokens", tokens).put("bytes", bytes).put("own_bytes", ownBytes);
                result.set("micros", calls.json());
                result.put("floor_micros", SlowestSamples.rounded(floorMicros))
                    .put("ratio", SlowestSamples.rounded(calls.micros(50) / floorMicros));
            }
        }

        return report;
    }

    private void route()
    {
        topkIdx.view().asLongBuffer().put(routing.experts(place.rank()));
        for (int at = 0; at < MAX_TOKENS * TOPK; at++)
        {
            weights.view().putFloat(at * Float.BYTES, 1.0f / (at % TOPK + 1));
        }
    }

    private static Tensor tensor(final TensorMemory memory, final DataType type, final int columns)
    {
        return new Tensor(memory, 0, type, MAX_TOKENS, columns);
    }

    @Override
    public void close()
    {
        kernels.close();
        engine.close();
        mesh.close();
    }
}
