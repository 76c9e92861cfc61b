/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.benchmarks;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.Worker;
import dev.transload.transport.aeron.AeronTransportProvider;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;
import org.agrona.UnsafeApi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What operations of the transport {@code aeron} cost. Put of rows is paired with a plain copy of the same rows, in
 * turns in one run, over more memory than any cache holds: only their ratio means anything on a noisy machine.
 * <p>
 * Run with {@code --add-exports java.base/jdk.internal.misc=ALL-UNNAMED}; an argument names the data path.
 */
public final class AeronOperations
{
    private static final Logger LOG = LoggerFactory.getLogger(AeronOperations.class);
    private static final int ROW_LENGTH = 14336;
    private static final int ROWS = 8192;
    private static final int CHUNK = 64;
    private static final long BYTES = (long)ROW_LENGTH * ROWS;
    private static final int WARM_UP_ROUNDS = 5;
    private static final int ROUNDS = 21;
    private static final int ADDS = 200_000;
    private static final int PEER = 1;
    private static final double NS_PER_US = 1000.0;

    private final Worker worker;
    private final Worker peerWorker;
    private final MemoryRegion source;
    private final MemoryRegion copyTarget;
    private final RemoteRegion remote;
    private final RemoteSignals signals;
    private final Channel channel;
    private final RowList rows;

    private AeronOperations(final Transport own, final Transport peer)
    {
        worker = own.openWorker(0);
        peerWorker = peer.openWorker(0);
        source = own.allocate(MemoryKind.HOST, 0, BYTES, Access.REMOTE);
        // The same kind of pages on both sides of the comparison.
        copyTarget = own.allocate(MemoryKind.HOST, 0, BYTES, Access.REMOTE);
        final MemoryRegion target = peer.allocate(MemoryKind.HOST, 0, BYTES, Access.REMOTE);
        final SignalRegion counters = peer.allocateSignals(1, 1);
        UnsafeApi.setMemory(source.address(), BYTES, (byte)1);
        remote = worker.importRegion(PEER, target.descriptor());
        signals = worker.importSignals(PEER, counters.descriptor());
        channel = worker.connect(PEER, 1, peerWorker.address());
        rows = shuffledRows(own);
        while (!channel.isConnected())
        {
            progress();
        }
    }

    /**
     * Measure.
     *
     * @param args data path: mapped (default) or messages.
     */
    public static void main(final String[] args)
    {
        final String dataPath = args.length > 0 ? args[0] : "mapped";
        try (Transport own = open(0, dataPath); Transport peer = open(PEER, dataPath))
        {
            new AeronOperations(own, peer).run(dataPath);
        }
    }

    private static Transport open(final int rank, final String dataPath)
    {
        return new AeronTransportProvider().open(TransportConfig.builder().rank(rank).worldSize(2)
            .options(Map.of("data-path", dataPath)).build());
    }

    private void run(final String dataPath)
    {
        final double[] copy = new double[ROUNDS];
        final double[] put = new double[ROUNDS];
        final double[] ratio = new double[ROUNDS];
        for (int i = -WARM_UP_ROUNDS; i < ROUNDS; i++)
        {
            final double copied = BYTES / time(this::copyRows);
            final double sent = BYTES / time(this::putRows);
            if (i >= 0)
            {
                copy[i] = copied;
                put[i] = sent;
                ratio[i] = sent / copied;
            }
        }

        LOG.info("{}: putRows of {} rows of {} bytes in chunks of {}: {} GB/s, memcpy of them {} GB/s, ratio {}",
            dataPath, ROWS, ROW_LENGTH, CHUNK, median(put), median(copy), median(ratio));

        final double[] add = new double[ROUNDS];
        for (int i = -WARM_UP_ROUNDS; i < ROUNDS; i++)
        {
            final double ns = time(this::add) / ADDS;
            if (i >= 0)
            {
                add[i] = ns;
            }
        }

        LOG.info("{}: atomicAdd to a signal: {} ns", dataPath, median(add));
        final double[] small = new double[ROUNDS];
        for (int i = -WARM_UP_ROUNDS; i < ROUNDS; i++)
        {
            final double ns = time(this::putSmall) / ADDS;
            if (i >= 0)
            {
                small[i] = ns;
            }
        }

        LOG.info("{}: put of 32 bytes: {} ns", dataPath, median(small));
        LOG.info("{}: put, fence, add, flush: {} us", dataPath, time(this::roundTrips) / ROWS / NS_PER_US);
    }

    private long copyRows()
    {
        for (int i = 0; i < ROWS; i++)
        {
            UnsafeApi.copyMemory(
                source.address() + rows.srcOffset(i), copyTarget.address() + rows.dstOffset(i), ROW_LENGTH);
        }

        return ROWS;
    }

    private long putRows()
    {
        int done = 0;
        while (done < ROWS)
        {
            final long before = channel.position();
            final long result = channel.putRows(source, remote, rows, done, Math.min(CHUNK, ROWS - done));
            done += result < 0 ? 0 : (int)(result - before);
            progressIf(result < 0);
        }

        return flush();
    }

    private long add()
    {
        for (int i = 0; i < ADDS; i++)
        {
            while (channel.atomicAdd(signals, 0, 1) < 0)
            {
                progress();
            }
        }

        return flush();
    }

    private long putSmall()
    {
        for (int i = 0; i < ADDS; i++)
        {
            while (channel.put(source, 0, remote, (i & 1023) * 32L, 32) < 0)
            {
                progress();
            }
        }

        return flush();
    }

    private long roundTrips()
    {
        for (int i = 0; i < ROWS; i++)
        {
            await(() -> channel.put(source, 0, remote, 0, ROW_LENGTH));
            await(channel::fence);
            await(() -> channel.atomicAdd(signals, 0, 1));
            flush();
        }

        return ROWS;
    }

    private long flush()
    {
        final long position = await(channel::flush);
        while (channel.deliveredPosition() < position)
        {
            progress();
        }

        return position;
    }

    private long await(final LongSupplier operation)
    {
        long result = operation.getAsLong();
        while (result < 0)
        {
            progress();
            result = operation.getAsLong();
        }

        return result;
    }

    private void progressIf(final boolean isNeeded)
    {
        if (isNeeded)
        {
            progress();
        }
    }

    private void progress()
    {
        if (null != channel.failure())
        {
            throw channel.failure();
        }

        worker.progress();
        peerWorker.progress();
    }

    private static double time(final LongSupplier work)
    {
        final long startNs = System.nanoTime();
        work.getAsLong();
        return System.nanoTime() - startNs;
    }

    private static RowList shuffledRows(final Transport transport)
    {
        final RowList list = transport.allocateRows(ROWS).rowLength(ROW_LENGTH);
        final int[] order = new int[ROWS];
        Arrays.setAll(order, (i) -> i);
        final Random random = new Random(1);
        for (int i = ROWS - 1; i > 0; i--)
        {
            final int other = random.nextInt(i + 1);
            final int row = order[i];
            order[i] = order[other];
            order[other] = row;
        }

        for (int i = 0; i < ROWS; i++)
        {
            list.set(i, (long)order[i] * ROW_LENGTH, (long)i * ROW_LENGTH);
        }

        return list;
    }

    private static double median(final double[] values)
    {
        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
