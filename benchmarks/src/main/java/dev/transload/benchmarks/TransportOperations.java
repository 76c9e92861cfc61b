/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.benchmarks;

import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What operations of a transport cost between two processes of this machine. Operations of one size write the same
 * place again and again, as other benchmarks do; put of rows is paired with a plain copy of the same rows, in turns,
 * over more memory than a cache holds. Only ratios of figures of one run mean much on a noisy machine.
 * <p>
 * Run with {@code --add-exports java.base/jdk.internal.misc=ALL-UNNAMED}. Arguments are the transport, then the
 * options of it as {@code key=value}. The system properties {@code rows} and {@code rounds} say how many rows are
 * copied and how many rounds are timed; {@code only} names the operations that are measured, joined by commas.
 * <p>
 * A line of output is {@code measured}, operation, bytes, the median of the rounds, the best round, unit, and what one
 * operation took of this thread's processor time (ns) and of the heap (bytes).
 */
public final class TransportOperations
{
    private static final Logger LOG = LoggerFactory.getLogger(TransportOperations.class);
    private static final int ROW_LENGTH = 14336;
    private static final int DEFAULT_ROWS = 8192;
    private static final int DEFAULT_ROUNDS = 11;
    private static final int[] SIZES = { 8, ROW_LENGTH, 1 << 20, 8 << 20 };
    private static final int LARGEST = 8 << 20;

    /** Away from what the other process looks at. */
    private static final int ADD_OFFSET = 4096;

    private static final int TIMEOUT_S = 10;
    private static final double NS_PER_US = 1000.0;
    private static final double MILLIONS_PER_NS = 1000.0;

    private final OperationLink link;
    private final OperationRank rank;
    private final Channel channel;
    private final RemoteRegion remote;
    private final RemoteSignals signals;
    private final MemoryRegion source;
    private final int rounds;
    private final Set<String> only;

    private TransportOperations(final OperationLink link, final OperationRank rank, final long bytes, final int rounds)
    {
        this.link = link;
        this.rank = rank;
        this.channel = rank.channel();
        this.remote = rank.remote();
        this.signals = rank.remoteSignals();
        this.source = rank.allocate(bytes);
        this.rounds = rounds;
        final String wanted = System.getProperty("only", "");
        this.only = wanted.isEmpty() ? Set.of() : Set.of(wanted.split(","));
    }

    /**
     * Measure.
     *
     * @param args transport, then options of it as key=value.
     * @throws IOException          when the other process cannot be started or reached.
     * @throws InterruptedException never, unless the process is told to end.
     */
    public static void main(final String[] args) throws IOException, InterruptedException
    {
        if (0 == args.length)
        {
            throw new IllegalArgumentException("no transport is named: give its name, then options of it as key=value");
        }

        final Map<String, String> options = options(Arrays.asList(args).subList(1, args.length));
        final long bytes = Math.max(LARGEST, (long)ROW_LENGTH * Integer.getInteger("rows", DEFAULT_ROWS));
        try (ServerSocket server = OperationLink.listen())
        {
            final Process peer = OperationPeer.start(server.getLocalPort(), args[0], bytes, LARGEST, options);
            try (OperationLink link = OperationLink.accept(server);
                OperationRank rank = new OperationRank(0, args[0], options, bytes))
            {
                rank.connect(link);
                new TransportOperations(link, rank, bytes, Integer.getInteger("rounds", DEFAULT_ROUNDS)).run();
                link.send(OperationPeer.END);
                link.receive();
                link.receive();
                link.send(OperationPeer.END);
                peer.waitFor(TIMEOUT_S, TimeUnit.SECONDS);
            }
            finally
            {
                peer.destroyForcibly();
            }
        }
    }

    /** Options of a transport, from arguments. */
    static Map<String, String> options(final List<String> args)
    {
        final Map<String, String> options = new LinkedHashMap<>();
        for (final String arg : args)
        {
            final int end = arg.indexOf('=');
            if (end < 1)
            {
                throw new IllegalArgumentException(arg + " is not key=value");
            }

            options.put(arg.substring(0, end), arg.substring(end + 1));
        }

        return options;
    }

    private void run()
    {
        for (final int size : SIZES)
        {
            measure("put", size, (count) -> put(size, count));
        }

        for (final int size : SIZES)
        {
            measure("load", size, (count) -> load(size, count));
        }

        measure("add", Long.BYTES, this::add);
        measure("region-add", Long.BYTES, this::addToRegion);
        measure("add-flush", Long.BYTES, this::addAndFlush);
        measure("put-fence-add-flush", ROW_LENGTH, this::rowFenceAdd);
        for (final int size : SIZES)
        {
            measure("latency", size, (count) -> pingPong(size, count));
        }

        if (isWanted("rows"))
        {
            rows();
        }
    }

    private boolean isWanted(final String operation)
    {
        return only.isEmpty() || only.contains(operation);
    }

    private void measure(final String operation, final int size, final IntConsumer work)
    {
        if (!isWanted(operation))
        {
            return;
        }

        rank.begin();
        final Rounds measured = Rounds.of(rounds, work);
        switch (operation)
        {
            case "put", "load", "add", "region-add" -> rate(operation, size, measured);
            case "latency" -> time(operation, size, measured, 2 * NS_PER_US);
            default -> time(operation, size, measured, NS_PER_US);
        }
    }

    private void put(final int size, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            while (channel.put(source, 0, remote, 0, size) < 0)
            {
                rank.progress();
            }
        }

        rank.flush();
    }

    private void load(final int size, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            while (channel.load(remote, 0, source, 0, size) < 0)
            {
                rank.progress();
            }
        }

        rank.flush();
    }

    private void add(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            while (channel.atomicAdd(signals, 0, 1) < 0)
            {
                rank.progress();
            }
        }

        rank.flush();
    }

    private void addToRegion(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            while (channel.atomicAdd(remote, ADD_OFFSET, 1) < 0)
            {
                rank.progress();
            }
        }

        rank.flush();
    }

    private void addAndFlush(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            while (channel.atomicAdd(remote, ADD_OFFSET, 1) < 0)
            {
                rank.progress();
            }

            rank.flush();
        }
    }

    private void rowFenceAdd(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            while (channel.put(source, 0, remote, 0, ROW_LENGTH) < 0)
            {
                rank.progress();
            }

            while (channel.fence() < 0)
            {
                rank.progress();
            }

            while (channel.atomicAdd(signals, 0, 1) < 0)
            {
                rank.progress();
            }

            rank.flush();
        }
    }

    private void pingPong(final int size, final int count)
    {
        link.send(count);
        link.send(size);
        rank.pingPong(true, source, size, count);
    }

    private void rows()
    {
        final RowCopies rows = new RowCopies(rank, source, rank.allocate(source.length()), ROW_LENGTH);
        final double bytes = (double)rows.count() * ROW_LENGTH;
        final double[] puts = new double[rounds];
        final double[] copies = new double[rounds];
        final double[] ratios = new double[rounds];
        for (int i = -2; i < rounds; i++)
        {
            rank.begin();
            final double copied = bytes / Rounds.time((count) -> rows.copy(), 1);
            final double put = bytes / Rounds.time((count) -> rows.put(), 1);
            if (i >= 0)
            {
                puts[i] = put;
                copies[i] = copied;
                ratios[i] = put / copied;
            }
        }

        rank.begin();
        final Rounds last = Rounds.of(1, (count) -> rows.put());
        print("rows", ROW_LENGTH, puts, "GB/s", last);
        print("memcpy", ROW_LENGTH, copies, "GB/s", last);
        print("rows/memcpy", ROW_LENGTH, ratios, "ratio", last);
    }

    private static void rate(final String operation, final int size, final Rounds measured)
    {
        final double amount = Long.BYTES == size ? MILLIONS_PER_NS : size;
        print(operation, size, new double[]{
            amount / measured.nsPerOperation(), amount / measured.leastNsPerOperation() },
            Long.BYTES == size ? "M/s" : "GB/s", measured);
    }

    private static void time(final String operation, final int size, final Rounds measured, final double nsPerUnit)
    {
        LOG.info(line(operation, size, measured.nsPerOperation() / nsPerUnit,
            measured.leastNsPerOperation() / nsPerUnit, "us", measured));
    }

    private static void print(
        final String operation, final int size, final double[] rates, final String unit, final Rounds measured)
    {
        final double[] sorted = rates.clone();
        Arrays.sort(sorted);
        LOG.info(line(operation, size, sorted[(sorted.length - 1) / 2], sorted[sorted.length - 1], unit, measured));
    }

    private static String line(
        final String operation,
        final int size,
        final double median,
        final double best,
        final String unit,
        final Rounds measured)
    {
        return String.format(Locale.ROOT, "measured %s %d %.3f %.3f %s %.1f %.3f", operation, size, median, best, unit,
            measured.cpuNsPerOperation(), measured.allocatedPerOperation());
    }
}
