/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.launch.Progress;
import dev.transload.cli.page.Percentiles;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import java.util.function.LongUnaryOperator;
import org.HdrHistogram.Histogram;

/**
 * What rank 0 measures. Rates are of cold memory: each pass walks through a whole region, which is larger than a
 * last-level cache where the machine has the room; the copy that they are compared with walks through equal memory,
 * pass by pass in turn, so that a busy machine slows both.
 */
final class Measurements
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int[] SIZES = { 8, 64, 256, 1024, 4096, 14_336, 65_536, 1 << 18, 1 << 20 };
    private static final int[] ROW_SIZES = { 512, 4096, 14_336 };
    private static final int CHUNK_ROWS = 128;
    private static final int PASSES = 4;
    private static final int MAX_OPERATIONS = 200_000;
    private static final int ROUND_TRIPS = 20_000;
    private static final int WARM_UP_ROUND_TRIPS = 5_000;
    private static final long MAX_LATENCY_NS = 10_000_000_000L;
    private static final int LATENCY_DIGITS = 3;
    private static final double DIGITS = 1e3;

    private final BenchPair pair;
    private final long bytes;
    private final Progress progress;
    private final MemoryRegion local;
    private final ColdCopy copy;
    private final ArrayNode results = JSON.createArrayNode();

    Measurements(final BenchPair pair, final long bytes, final Progress progress)
    {
        this.pair = pair;
        this.bytes = bytes;
        this.progress = progress;
        this.local = pair.local(bytes);
        this.copy = new ColdCopy((int)Math.min(Integer.MAX_VALUE, bytes));
    }

    JsonNode run()
    {
        for (final int size : SIZES)
        {
            progress.step("put of " + size + " bytes", 0, 1);
            rate("put", size, (offset) -> pair.submit(
                () -> pair.channel().put(local, offset, pair.remoteRegion(), offset, size)));
        }

        for (final int size : ROW_SIZES)
        {
            progress.step("putRows of " + size + " bytes", 0, 1);
            rows(size);
        }

        for (final int size : SIZES)
        {
            progress.step("load of " + size + " bytes", 0, 1);
            rate("load", size, (offset) -> pair.submit(
                () -> pair.channel().load(pair.remoteRegion(), offset, local, offset, size)));
        }

        progress.step("atomicAdd", 0, 1);
        adds();
        for (final int size : SIZES)
        {
            progress.step("put, fence, atomicAdd, seen with " + size + " bytes", 0, 1);
            latency(size);
        }

        final Capabilities capabilities = pair.transport().capabilities();
        final ObjectNode report = JSON.createObjectNode();
        report.put("transport", capabilities.transport()).put("version", capabilities.version())
            .put("emulated", capabilities.has(Capability.EMULATED)).put("region_bytes", bytes)
            .set("results", results);
        return report;
    }

    private void rate(final String operation, final int size, final LongUnaryOperator submit)
    {
        final int count = (int)Math.min(MAX_OPERATIONS, bytes / size);
        double best = 0.0;
        double bestCopy = 0.0;
        for (int pass = 0; pass < PASSES; pass++)
        {
            final long begin = System.nanoTime();
            for (int i = 0; i < count; i++)
            {
                submit.applyAsLong((long)i * size);
            }

            pair.flush();
            best = Math.max(best, (double)count * size / (System.nanoTime() - begin));
            bestCopy = Math.max(bestCopy, copy.gbps(size, count));
        }

        addRate(operation, size, best, bestCopy);
    }

    private void rows(final int size)
    {
        final int count = (int)(bytes / size / CHUNK_ROWS) * CHUNK_ROWS;
        final RowList list = pair.transport().allocateRows(count).rowLength(size);
        for (int i = 0; i < count; i++)
        {
            list.set(i, (long)i * size, (long)i * size);
        }

        double best = 0.0;
        double bestCopy = 0.0;
        for (int pass = 0; pass < PASSES; pass++)
        {
            final long begin = System.nanoTime();
            for (int row = 0; row < count;)
            {
                final int from = row;
                final int most = Math.min(CHUNK_ROWS, count - from);
                final long before = pair.channel().position();
                row += (int)(pair.submit(
                    () -> pair.channel().putRows(local, pair.remoteRegion(), list, from, most)) - before);
            }

            pair.flush();
            best = Math.max(best, (double)count * size / (System.nanoTime() - begin));
            bestCopy = Math.max(bestCopy, copy.gbps(size, count));
        }

        addRate("putRows", size, best, bestCopy);
    }

    private void adds()
    {
        double best = 0.0;
        for (int pass = 0; pass < PASSES; pass++)
        {
            final long begin = System.nanoTime();
            for (int i = 0; i < MAX_OPERATIONS; i++)
            {
                pair.submit(() -> pair.channel().atomicAdd(pair.remoteSignals(), BenchPair.COUNTED, 1));
            }

            pair.flush();
            best = Math.max(best, MAX_OPERATIONS * DIGITS / (System.nanoTime() - begin));
        }

        results.addObject().put("operation", "atomicAdd").put("million_per_second", rounded(best));
    }

    /** Half a round trip: the answer is an add alone, so that what is put counts half of what it seems to. */
    private void latency(final int size)
    {
        final Histogram histogram = new Histogram(MAX_LATENCY_NS, LATENCY_DIGITS);
        for (int i = 0; i < WARM_UP_ROUND_TRIPS + ROUND_TRIPS; i++)
        {
            final long offset = i % (bytes / size) * size;
            final long expected = pair.echoed() + 1;
            final long begin = System.nanoTime();
            pair.submit(() -> pair.channel().put(local, offset, pair.remoteRegion(), offset, size));
            pair.submit(pair.channel()::fence);
            pair.submit(() -> pair.channel().atomicAdd(pair.remoteSignals(), BenchPair.ECHOED, 1));
            pair.await(() -> pair.echoed() >= expected, "awaiting the answer to an add");
            if (i >= WARM_UP_ROUND_TRIPS)
            {
                histogram.recordValue(Math.min(MAX_LATENCY_NS, (System.nanoTime() - begin) / 2));
            }
        }

        results.addObject().put("operation", "put-fence-atomicAdd-seen").put("bytes", size)
            .put("round_trips", ROUND_TRIPS).putObject("micros")
            .put("p50", micros(histogram, 50.0))
            .put("p90", micros(histogram, 90.0))
            .put("p99", micros(histogram, 99.0))
            .put("p99_9", micros(histogram, 99.9))
            .put("max", rounded(histogram.getMaxValue() / DIGITS))
            .set("percentiles", Percentiles.of(histogram));
    }

    private void addRate(final String operation, final int size, final double gbps, final double memcpy)
    {
        results.addObject().put("operation", operation).put("bytes", size).put("GBps", rounded(gbps))
            .put("memcpy_GBps", rounded(memcpy)).put("of_memcpy", rounded(gbps / memcpy));
    }

    private static double micros(final Histogram histogram, final double percentile)
    {
        return rounded(histogram.getValueAtPercentile(percentile) / DIGITS);
    }

    private static double rounded(final double value)
    {
        return Math.round(value * DIGITS) / DIGITS;
    }
}
