/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * What it costs to tell the peer of each chunk: {@link #CHUNKS} chunks on one channel, from the first call until all
 * are delivered. Three kinds of rounds alternate: without signals, each chunk with a signal, each with a fence and an
 * add. A chunk is a {@code putRows}, which is one launch where a device moves the rows.
 */
final class ChunkMeasurement
{
    /** Chunks of a round. */
    static final int CHUNKS = 8;

    private static final int ROW_BYTES = 14_336;
    private static final int ROWS = 512;
    private static final int ROUNDS = 2_000;
    private static final int WARM_UPS = 1_000;

    /** All rounds move half a terabyte, for which a CPU or a slow link takes minutes: they end after this time. */
    private static final long ROUNDS_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long WARM_UPS_NS = TimeUnit.SECONDS.toNanos(5);
    private static final int LEAST_ROUNDS = 3;
    private static final int EMULATED_ROUNDS = 5;
    private static final double NS_PER_MICRO = 1e3;
    private static final double RATIO_DIGITS = 1e3;

    private final BenchPair pair;
    private final MemoryRegion local;
    private final RowList rows;
    private final int count;
    private final int places;
    private final int rounds;
    private final int warmUps;

    /** How the peer is told of a chunk. */
    private enum Way
    {
        ALONE("chunks"), SIGNAL("chunks-signal"), FENCE("chunks-fence-atomicAdd");

        private final String operation;

        Way(final String operation)
        {
            this.operation = operation;
        }
    }

    ChunkMeasurement(final BenchPair pair, final long bytes)
    {
        this.pair = pair;
        this.local = pair.local();
        final boolean isEmulated = pair.transport().capabilities().has(Capability.EMULATED);
        this.rounds = isEmulated ? EMULATED_ROUNDS : ROUNDS;
        this.warmUps = isEmulated ? 1 : WARM_UPS;
        this.count = (int)Math.min(ROWS, bytes / ROW_BYTES);
        this.places = (int)Math.min(CHUNKS, bytes / ROW_BYTES / count);
        this.rows = pair.transport().allocateRows(places * count).rowLength(ROW_BYTES);
        for (int i = 0; i < places * count; i++)
        {
            rows.set(i, (long)i * ROW_BYTES, (long)i * ROW_BYTES);
        }
    }

    void run(final ArrayNode results)
    {
        final Way[] ways = Way.values();
        final long[][] times = new long[ways.length][rounds];
        final long beginNs = System.nanoTime();
        for (int i = 0; i < warmUps && System.nanoTime() - beginNs < WARM_UPS_NS; i++)
        {
            for (final Way way : ways)
            {
                round(way);
            }
        }

        final long warmNs = System.nanoTime();
        int measured = 0;
        while (measured < rounds && (measured < LEAST_ROUNDS || System.nanoTime() - warmNs < ROUNDS_NS))
        {
            for (final Way way : ways)
            {
                times[way.ordinal()][measured] = round(way);
            }

            measured++;
        }

        final double alone = median(times[Way.ALONE.ordinal()], measured);
        for (final Way way : ways)
        {
            final double median = median(times[way.ordinal()], measured);
            final ObjectNode result = results.addObject();
            result.put("operation", way.operation).put("bytes", count * ROW_BYTES).put("chunks", CHUNKS)
                .put("rounds", measured).put("median_micros", median)
                .put("of_chunks", Math.round(RATIO_DIGITS * median / alone) / RATIO_DIGITS);
        }
    }

    private long round(final Way way)
    {
        final long begin = System.nanoTime();
        for (int chunk = 0; chunk < CHUNKS; chunk++)
        {
            put(chunk % places * count);
            if (Way.SIGNAL == way)
            {
                pair.submit(() -> pair.channel().signal(pair.remoteSignals(), BenchPair.COUNTED, 1));
            }
            else if (Way.FENCE == way)
            {
                pair.submit(pair.channel()::fence);
                pair.submit(() -> pair.channel().atomicAdd(pair.remoteSignals(), BenchPair.COUNTED, 1));
            }
        }

        pair.flush();
        return System.nanoTime() - begin;
    }

    private void put(final int first)
    {
        for (int row = 0; row < count;)
        {
            final int from = first + row;
            final int left = count - row;
            final long before = pair.channel().position();
            row += (int)(pair.submit(
                () -> pair.channel().putRows(local, pair.remoteRegion(), rows, from, left)) - before);
        }
    }

    private static double median(final long[] times, final int measured)
    {
        final long[] sorted = Arrays.copyOf(times, measured);
        Arrays.sort(sorted);
        return sorted[sorted.length / 2] / NS_PER_MICRO;
    }
}
