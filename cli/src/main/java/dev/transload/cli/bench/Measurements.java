/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.launch.Progress;
import dev.transload.cli.page.Percentiles;
import dev.transload.cli.program.BuildInfo;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * What rank 0 measures. Rates are of cold memory: each pass walks through a region, which is larger than a last-level
 * cache where the machine has the room; the limit that they are compared with walks through equal memory, pass by pass
 * in turn, so that a busy machine slows both.
 */
final class Measurements
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int[] SIZES = { 8, 64, 256, 1024, 4096, 14_336, 65_536, 1 << 18, 1 << 20 };

    /** What a device's copy engine carries; a CPU copies them no faster than smaller ones. */
    private static final int[] LARGE_SIZES = { 1 << 22, 1 << 24, 1 << 26, 1 << 28, 1 << 29 };
    private static final int[] ROW_SIZES = { 512, 4096 };
    private static final int ROW_BYTES = 14_336;
    private static final int[] CHUNKS = { 32, 64, 128, 256, 512, 1024, 2048, 4096 };
    private static final int CHUNK_ROWS = 128;
    private static final int PASSES = 4;
    private static final int ADDS = 200_000;
    private static final int MAX_OPERATIONS = 200_000;
    private static final int ROUND_TRIPS = 20_000;

    /** A launch takes microseconds, where the CPU takes tens of nanoseconds for a small put. */
    private static final int MAX_DEVICE_OPERATIONS = 20_000;
    private static final int DEVICE_ROUND_TRIPS = 4_000;

    /** Enough to see that all of it works: an emulator's speed tells nothing. */
    private static final int MAX_EMULATED_OPERATIONS = 500;
    private static final int EMULATED_ROUND_TRIPS = 200;

    /** One round trip to warm up for so many that count. */
    private static final int WARM_UP_PART = 4;
    private static final long MAX_LATENCY_NS = 10_000_000_000L;
    private static final int LATENCY_DIGITS = 3;
    private static final double DIGITS = 1e3;
    private static final double RATE_DIGITS = 1e6;

    private final BenchPair pair;
    private final long bytes;
    private final Progress progress;
    private final MemoryRegion local;
    private final boolean isHost;
    private final int maxOperations;
    private final int roundTrips;
    private final Limit limit;
    private final ArrayNode results = JSON.createArrayNode();

    Measurements(final BenchPair pair, final Progress progress)
    {
        this.pair = pair;
        this.progress = progress;
        this.local = pair.local();
        this.bytes = Math.min(local.length(), pair.remoteRegion().length());
        this.isHost = pair.kind().isHost();
        final boolean isEmulated = pair.transport().capabilities().has(Capability.EMULATED);
        this.maxOperations = isHost ? MAX_OPERATIONS : isEmulated ? MAX_EMULATED_OPERATIONS : MAX_DEVICE_OPERATIONS;
        this.roundTrips = isHost ? ROUND_TRIPS : isEmulated ? EMULATED_ROUND_TRIPS : DEVICE_ROUND_TRIPS;
        this.limit = isHost ? new ColdCopy((int)Math.min(Integer.MAX_VALUE, bytes)) : new PeerCopy(pair, bytes);
    }

    /** Something else is measured; what was until now is worth telling of. */
    private void step(final String stage)
    {
        progress.step(stage, 0, 1);
        if (!results.isEmpty())
        {
            final ObjectNode until = report().deepCopy();
            progress.checkpoint(() -> until);
        }
    }

    /** Chunks with and without signals. */
    ObjectNode runChunks()
    {
        step("chunks with and without signals");
        new ChunkMeasurement(pair, bytes).run(results);
        return report();
    }

    ObjectNode run()
    {
        for (final int size : rateSizes())
        {
            step("put of " + size + " bytes");
            rates("put", size, (offset) -> pair.submit(
                () -> pair.channel().put(local, offset, pair.remoteRegion(), offset, size)));
        }

        for (final int size : ROW_SIZES)
        {
            rows(size, CHUNK_ROWS);
        }

        for (final int chunk : CHUNKS)
        {
            rows(ROW_BYTES, chunk);
        }

        for (final int size : rateSizes())
        {
            step("load of " + size + " bytes");
            rates("load", size, (offset) -> pair.submit(
                () -> pair.channel().load(pair.remoteRegion(), offset, local, offset, size)));
        }

        step("atomicAdd");
        adds();
        for (final int size : SIZES)
        {
            step("put, fence, atomicAdd, seen with " + size + " bytes");
            latency(size);
        }

        step("chunks with and without signals");
        new ChunkMeasurement(pair, bytes).run(results);
        return report();
    }

    private ObjectNode report()
    {
        final Capabilities capabilities = pair.transport().capabilities();
        final ObjectNode report = JSON.createObjectNode();
        report.put("transport", capabilities.transport()).put("version", capabilities.version())
            .put("emulated", capabilities.has(Capability.EMULATED)).put("memory_kind", pair.kind().name())
            .put("limit", limit.name()).put("region_bytes", bytes);
        if (!isHost)
        {
            report.putArray("devices").add(pair.device(0)).add(pair.device(1));
        }

        report.set("build", BuildInfo.own().json());
        report.set("results", results);
        return report;
    }

    private int[] rateSizes()
    {
        return isHost ? SIZES : IntStream.concat(IntStream.of(SIZES), IntStream.of(LARGE_SIZES))
            .filter((size) -> size <= bytes).toArray();
    }

    private void rates(final String operation, final int size, final LongUnaryOperator submit)
    {
        final int count = (int)Math.min(maxOperations, bytes / size);
        double best = 0.0;
        double bestLimit = 0.0;
        for (int pass = 0; pass < PASSES; pass++)
        {
            final long begin = System.nanoTime();
            for (int i = 0; i < count; i++)
            {
                submit.applyAsLong((long)i * size);
            }

            pair.flush();
            best = Math.max(best, (double)count * size / (System.nanoTime() - begin));
            bestLimit = Math.max(bestLimit, limit.gbps(size, count));
        }

        addRate(operation, size, best, bestLimit);
    }

    private void rows(final int size, final int chunk)
    {
        final int count = (int)(bytes / size / chunk) * chunk;
        if (0 == count)
        {
            return;
        }

        step("putRows of " + size + " bytes by " + chunk);
        final RowList list = pair.transport().allocateRows(count).rowLength(size);
        for (int i = 0; i < count; i++)
        {
            list.set(i, (long)i * size, (long)i * size);
        }

        double best = 0.0;
        double bestLimit = 0.0;
        for (int pass = 0; pass < PASSES; pass++)
        {
            final long begin = System.nanoTime();
            for (int row = 0; row < count;)
            {
                final int from = row;
                final int most = Math.min(chunk, count - from);
                final long before = pair.channel().position();
                row += (int)(pair.submit(
                    () -> pair.channel().putRows(local, pair.remoteRegion(), list, from, most)) - before);
            }

            pair.flush();
            best = Math.max(best, (double)count * size / (System.nanoTime() - begin));
            bestLimit = Math.max(bestLimit, limit.gbps(size, count));
        }

        addRate("putRows", size, best, bestLimit).put("chunk_rows", chunk);
    }

    private void adds()
    {
        double best = 0.0;
        for (int pass = 0; pass < PASSES; pass++)
        {
            final long begin = System.nanoTime();
            for (int i = 0; i < ADDS; i++)
            {
                pair.submit(() -> pair.channel().atomicAdd(pair.remoteSignals(), BenchPair.COUNTED, 1));
            }

            pair.flush();
            best = Math.max(best, ADDS * DIGITS / (System.nanoTime() - begin));
        }

        results.addObject().put("operation", "atomicAdd").put("million_per_second", rounded(best));
    }

    /** Half a round trip: the answer is an add alone, so that what is put counts half of what it seems to. */
    private void latency(final int size)
    {
        final Histogram histogram = new Histogram(MAX_LATENCY_NS, LATENCY_DIGITS);
        for (int i = -roundTrips / WARM_UP_PART; i < roundTrips; i++)
        {
            final long offset = Math.floorMod(i, bytes / size) * size;
            final long expected = pair.echoed() + 1;
            final long begin = System.nanoTime();
            pair.submit(() -> pair.channel().put(local, offset, pair.remoteRegion(), offset, size));
            pair.submit(pair.channel()::fence);
            pair.submit(() -> pair.channel().atomicAdd(pair.remoteSignals(), BenchPair.ECHOED, 1));
            pair.await(() -> pair.echoed() >= expected, "waiting for the answer to an add");
            if (i >= 0)
            {
                histogram.recordValue(Math.min(MAX_LATENCY_NS, (System.nanoTime() - begin) / 2));
            }
        }

        results.addObject().put("operation", "put-fence-atomicAdd-seen").put("bytes", size)
            .put("round_trips", roundTrips).putObject("micros")
            .put("p50", micros(histogram, 50.0))
            .put("p90", micros(histogram, 90.0))
            .put("p99", micros(histogram, 99.0))
            .put("p99_9", micros(histogram, 99.9))
            .put("max", rounded(histogram.getMaxValue() / DIGITS))
            .set("percentiles", Percentiles.of(histogram));
    }

    private ObjectNode addRate(final String operation, final int size, final double gbps, final double most)
    {
        return results.addObject().put("operation", operation).put("bytes", size).put("GBps", rate(gbps))
            .put(limit.name() + "_GBps", rate(most)).put("of_" + limit.name(), rate(gbps / most));
    }

    private static double micros(final Histogram histogram, final double percentile)
    {
        return rounded(histogram.getValueAtPercentile(percentile) / DIGITS);
    }

    /** A launch that moves eight bytes is a small part of a link. */
    private static double rate(final double value)
    {
        return Math.round(value * RATE_DIGITS) / RATE_DIGITS;
    }

    private static double rounded(final double value)
    {
        return Math.round(value * DIGITS) / DIGITS;
    }
}
