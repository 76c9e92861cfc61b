/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.bench.ExchangePattern.Traffic;
import dev.transload.cli.bench.ExchangeReport.Latency;
import dev.transload.cli.bench.ExchangeReport.Rate;
import dev.transload.cli.bench.ExchangeReport.Waits;
import dev.transload.cli.launch.Progress;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.rendezvous.Rendezvous;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What each rank measures: rounds of puts, which begin on all ranks at about the same time. A round ends for a sender
 * when all of its puts are visible at the peers. The limit takes turns with them, so that a busy machine slows both.
 */
final class Exchange
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LONGEST = Duration.ofMinutes(10);
    private static final int ROUNDS = 5;
    private static final int STREAM_BYTES = 1 << 20;
    private static final int STREAM_WINDOW = 8;
    private static final int LEAST_TRIPS = 100;
    private static final int MOST_TRIPS = 20_000;
    private static final long MOST_LATENCY_NS = 10_000_000_000L;
    private static final int LATENCY_DIGITS = 3;
    private static final double NS_PER_MICRO = 1e3;
    private static final double DIGITS = 1e3;
    private static final double P50 = 50.0;
    private static final double P90 = 90.0;
    private static final double P99 = 99.0;

    private final PeerMesh mesh;
    private final Rendezvous rendezvous;
    private final ExchangeTask task;
    private final Progress progress;
    private final int rank;
    private final int ranks;
    private final ColdCopy copy;
    private final List<Rate> rates = new ArrayList<>();
    private final List<Latency> latencies = new ArrayList<>();
    private int gathered;
    private int step;

    /** Compared with copies in memory, or with a stream of large puts. */
    Exchange(
        final PeerMesh mesh, final Rendezvous rendezvous, final ExchangeTask task, final Progress progress,
        final boolean isByCopies)
    {
        this.mesh = mesh;
        this.rendezvous = rendezvous;
        this.task = task;
        this.progress = progress;
        this.rank = rendezvous.rank();
        this.ranks = rendezvous.worldSize();
        this.copy = isByCopies ? new ColdCopy((int)mesh.areaBytes()) : null;
    }

    /** Collective. */
    void run()
    {
        for (final Traffic traffic : task.pattern().traffics())
        {
            if (null == copy)
            {
                progress.step("stream, " + traffic, 0, 1);
                final int bytes = (int)Math.min(STREAM_BYTES, mesh.areaBytes());
                rates.add(rate(traffic, bytes, STREAM_WINDOW, 0));
            }

            for (final int bytes : task.sizes())
            {
                progress.step("puts of " + bytes + " bytes, " + traffic, 0, 1);
                rates.add(rate(traffic, bytes, task.window(), task.iterations()));
            }
        }

        if (ExchangePattern.PAIRS == task.pattern())
        {
            for (final int bytes : task.sizes())
            {
                progress.step("put, signal, seen with " + bytes + " bytes", 0, 1);
                latency(bytes);
            }
        }
    }

    List<Rate> rates()
    {
        return rates;
    }

    List<Latency> latencies()
    {
        return latencies;
    }

    private Rate rate(final Traffic traffic, final int bytes, final int window, final int iterations)
    {
        step++;
        final boolean isSender = traffic.isSender(rank, ranks);
        if (task.check())
        {
            CheckedBytes.fill(mesh.checkedLocal(), mesh.areaBytes() / bytes * bytes, rank, step);
        }

        final int rounds = 0 == iterations ? ROUNDS : Math.min(ROUNDS, iterations);
        long puts = 0 == iterations ? window : (iterations + rounds - 1) / rounds;
        long warmNs = agreed(round(traffic, bytes, window, puts));
        if (0 == iterations)
        {
            final long wantedNs = task.durationNs() / rounds;
            // Until code is compiled, each round tells less than the next.
            for (; warmNs < wantedNs / 2; warmNs = agreed(round(traffic, bytes, window, puts)))
            {
                puts *= 2;
            }

            puts = Math.max(1, (long)(puts * ((double)wantedNs / warmNs)));
        }

        final long[] ns = new long[rounds];
        final long[] limitNs = new long[null == copy || !isSender ? 0 : rounds];
        final long refusedNs = mesh.refusedNs();
        final long deliveryNs = mesh.deliveryNs();
        long wholeNs = 0;
        for (int i = 0; i < rounds; i++)
        {
            agreed(0);
            final long begin = System.nanoTime();
            ns[i] = round(traffic, bytes, window, puts);
            wholeNs += System.nanoTime() - begin;
            if (null != copy)
            {
                agreed(0);
                if (isSender)
                {
                    limitNs[i] = copies(bytes, puts * mesh.peers().length);
                }
            }
        }

        if (task.check())
        {
            check(traffic, bytes, puts);
            agreed(0);
        }

        long sentNs = 0;
        for (final long one : ns)
        {
            sentNs += one;
        }

        final long refused = mesh.refusedNs() - refusedNs;
        final long delivery = mesh.deliveryNs() - deliveryNs;
        return new Rate(traffic, bytes, isSender ? puts * mesh.peers().length : 0, ns, limitNs, new Waits(
            isSender ? Math.max(0, sentNs - refused - delivery) : 0, refused, delivery, wholeNs - sentNs));
    }

    /** Returns the time until all that this rank put was visible, 0 where it does not put. */
    private long round(final Traffic traffic, final int bytes, final int window, final long puts)
    {
        mesh.meet();
        long ns = 0;
        if (traffic.isSender(rank, ranks))
        {
            final long begin = System.nanoTime();
            send(bytes, window, puts);
            ns = System.nanoTime() - begin;
        }

        if (traffic.isReceiver(rank, ranks))
        {
            for (final int peer : mesh.peers())
            {
                mesh.awaitSignal(peer, true);
            }
        }

        return ns;
    }

    /** Half a window is put while the other half is on its way. */
    private void send(final int bytes, final int window, final long puts)
    {
        final int[] peers = mesh.peers();
        final int batch = Math.max(1, window / 2);
        final boolean isInHalves = window > 1;
        final long slots = mesh.areaBytes() / bytes;
        final long[] before = new long[peers.length];
        final long[] last = new long[peers.length];
        for (long from = 0; from < puts; from += batch)
        {
            final int count = (int)Math.min(batch, puts - from);
            for (int i = 0; i < peers.length; i++)
            {
                final int peer = peers[(rank + i) % peers.length];
                mesh.awaitDelivery(peer, isInHalves ? before[i] : last[i]);
                for (int put = 0; put < count; put++)
                {
                    mesh.put(peer, (from + put) % slots * bytes, bytes);
                }

                before[i] = last[i];
                last[i] = mesh.flush(peer);
            }
        }

        for (int i = 0; i < peers.length; i++)
        {
            final int peer = peers[(rank + i) % peers.length];
            mesh.signal(peer, true);
            mesh.awaitDelivery(peer, mesh.flush(peer));
        }
    }

    private long copies(final int bytes, final long count)
    {
        final int slots = (int)(mesh.areaBytes() / bytes);
        final long begin = System.nanoTime();
        for (long done = 0; done < count; done += slots)
        {
            copy.gbps(bytes, (int)Math.min(slots, count - done));
        }

        return System.nanoTime() - begin;
    }

    private void check(final Traffic traffic, final int bytes, final long puts)
    {
        if (!traffic.isReceiver(rank, ranks))
        {
            return;
        }

        mesh.acquire();
        for (final int peer : mesh.peers())
        {
            final long length = Math.min(puts, mesh.areaBytes() / bytes) * bytes;
            final long wrong = CheckedBytes.mismatch(mesh.checkedTarget(), mesh.areaOf(peer), length, peer, step);
            if (wrong >= 0)
            {
                throw new CommandException(ExitCodes.FAILED, "rank " + rank + ": byte " + wrong % bytes +
                    " of put " + wrong / bytes + " of " + bytes + " bytes from rank " + peer + " is not what was sent",
                    null);
            }
        }
    }

    private void latency(final int bytes)
    {
        final boolean isFirst = rank < ranks / 2;
        final long warmNs = agreed(trips(isFirst, bytes, LEAST_TRIPS, null)) / LEAST_TRIPS;
        final int trips = 0 != task.iterations() ? task.iterations() :
            (int)Math.max(LEAST_TRIPS, Math.min(MOST_TRIPS, task.durationNs() / Math.max(1, warmNs)));
        final Histogram histogram = new Histogram(MOST_LATENCY_NS, LATENCY_DIGITS);
        agreed(trips(isFirst, bytes, trips, histogram));
        if (isFirst)
        {
            latencies.add(new Latency(bytes, trips, percentiles(histogram)));
        }
    }

    private long trips(final boolean isFirst, final int bytes, final int count, final Histogram histogram)
    {
        final int peer = mesh.peers()[0];
        final long slots = mesh.areaBytes() / bytes;
        mesh.meet();
        final long begin = System.nanoTime();
        for (int trip = 0; trip < count; trip++)
        {
            if (!isFirst)
            {
                mesh.awaitSignal(peer, false);
                mesh.signal(peer, false);
                continue;
            }

            final long sent = System.nanoTime();
            mesh.put(peer, trip % slots * bytes, bytes);
            mesh.signal(peer, false);
            mesh.awaitSignal(peer, false);
            if (null != histogram)
            {
                histogram.recordValue(Math.min(MOST_LATENCY_NS, (System.nanoTime() - sent) / 2));
            }
        }

        final long ns = System.nanoTime() - begin;
        mesh.awaitDelivery(peer, mesh.flush(peer));
        return ns;
    }

    private static ObjectNode percentiles(final Histogram histogram)
    {
        return JSON.createObjectNode().put("p50", micros(histogram.getValueAtPercentile(P50)))
            .put("p90", micros(histogram.getValueAtPercentile(P90)))
            .put("p99", micros(histogram.getValueAtPercentile(P99))).put("max", micros(histogram.getMaxValue()));
    }

    private static double micros(final long ns)
    {
        return Math.round(ns / NS_PER_MICRO * DIGITS) / DIGITS;
    }

    /** The greatest value of all ranks, which thereby begin what follows at about the same time. */
    private long agreed(final long own)
    {
        long greatest = own;
        for (final ByteBuffer other : rendezvous.allGather("bench.ranks." + gathered++,
            ByteBuffer.allocate(Long.BYTES).putLong(0, own), LONGEST))
        {
            greatest = Math.max(greatest, other.getLong(other.position()));
        }

        return greatest;
    }
}
