/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.Worker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The ranks of one test, driven by its thread unless a {@link Race} adds others; every wait is bounded and says what it
 * waited for.
 */
final class World implements AutoCloseable
{
    static final long INCARNATION = 1;

    private static final VarHandle WORD =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ConformanceFixture fixture;
    private final List<Transport> transports = new ArrayList<>();
    private final Map<Integer, Worker> workers = new TreeMap<>();
    private final Map<Integer, Stage> stages = new TreeMap<>();
    private final List<RowKernels> kernels = new ArrayList<>();

    /** A rank's way to its own memory of any kind: host memory, and a channel to itself. */
    private record Stage(MemoryRegion region, RemoteRegion remote, Channel channel)
    {
    }

    World(final ConformanceFixture fixture, final int size)
    {
        this.fixture = fixture;
        try
        {
            for (int rank = 0; rank < size; rank++)
            {
                transports.add(fixture.provider().open(config(fixture, rank, size)));
            }
        }
        catch (final RuntimeException | Error ex)
        {
            close();
            throw ex;
        }
    }

    static TransportConfig config(final ConformanceFixture fixture, final int rank, final int size)
    {
        return TransportConfig.builder()
            .rank(rank)
            .worldSize(size)
            .incarnation(INCARNATION)
            .livenessTimeoutNs(fixture.livenessTimeoutNs())
            .options(fixture.options(rank))
            .build();
    }

    ConformanceFixture fixture()
    {
        return fixture;
    }

    Transport transport(final int rank)
    {
        return transports.get(rank);
    }

    Worker worker(final int rank)
    {
        return workers.computeIfAbsent(rank, (key) -> transports.get(key).openWorker(0));
    }

    /** Kinds of memory, HOST first. */
    List<MemoryKind> kinds()
    {
        return transports.get(0).capabilities().kinds().stream()
            .sorted(Comparator.comparing((final MemoryKind kind) -> !kind.isHost()).thenComparing(MemoryKind::name))
            .toList();
    }

    int alignment()
    {
        return transports.get(0).capabilities().offsetAlignment();
    }

    /** Rounds up to what the transport can put. */
    int aligned(final int bytes)
    {
        return (bytes + alignment() - 1) & -alignment();
    }

    MemoryRegion allocate(final int rank, final MemoryKind kind, final long length, final Access access)
    {
        return transports.get(rank).allocate(kind, fixture.device(kind, rank), length, access);
    }

    RowKernels kernels(final MemoryKind kind, final int rank)
    {
        final RowKernels opened = fixture.kernels(kind, rank);
        if (null != opened)
        {
            kernels.add(opened);
        }

        return opened;
    }

    Channel connect(final int from, final int to)
    {
        final Channel channel = worker(from).connect(to, INCARNATION, worker(to).address());
        await(() -> "the channel of rank " + from + " to " + to + " to connect", channel::isConnected);
        return channel;
    }

    Lane lane(final int from, final int to, final MemoryKind kind)
    {
        return new Lane(this, from, to, kind, kind);
    }

    /** The rank was killed or closed: nobody drives it any more. */
    void forget(final int rank)
    {
        workers.remove(rank);
    }

    void move()
    {
        fixture.pump();
        for (final Worker worker : workers.values())
        {
            worker.progress();
        }

        for (final RowKernels queue : kernels)
        {
            queue.progress();
        }
    }

    void await(final Supplier<String> what, final BooleanSupplier condition)
    {
        final long deadline = System.nanoTime() + fixture.deadlineNs();
        while (!condition.getAsBoolean())
        {
            if (System.nanoTime() - deadline > 0)
            {
                throw new AssertionError("waited " + fixture.deadlineNs() + " ns in vain for " + what.get());
            }

            move();
        }
    }

    void awaitSignal(final int rank, final SignalRegion signals, final int index, final long expected)
    {
        await(() -> "signal " + index + " of rank " + rank + ": expected " + expected + ", seen " +
            signals.getAcquire(index), () -> signals.getAcquire(index) >= expected);
    }

    void awaitDelivered(final Channel channel, final long position)
    {
        await(() -> "delivery on the channel to rank " + channel.peer() + ": expected position " + position +
            ", seen " + channel.deliveredPosition() + describeFailure(channel),
            () -> channel.deliveredPosition() >= position);
    }

    void awaitReleased(final Channel channel, final long position)
    {
        await(() -> "release on the channel to rank " + channel.peer() + ": expected position " + position +
            ", seen " + channel.releasedPosition() + describeFailure(channel),
            () -> channel.releasedPosition() >= position);
    }

    /** Retries an operation until it is accepted. */
    long submit(final String what, final LongSupplier operation)
    {
        final long[] result = new long[1];
        await(() -> what + " to be accepted: expected a position, seen status " + result[0], () ->
        {
            result[0] = operation.getAsLong();
            if (Channel.FAILED == result[0] || Channel.CLOSED == result[0])
            {
                throw new AssertionError(what + " was answered by " + (Channel.FAILED == result[0] ? "FAILED" :
                    "CLOSED") + ", expected a position");
            }

            return result[0] >= 0;
        });
        return result[0];
    }

    void flush(final Channel channel)
    {
        awaitDelivered(channel, submit("flush to rank " + channel.peer(), channel::flush));
    }

    /** Fills memory of any kind of a rank. */
    void write(final int rank, final MemoryRegion region, final long offset, final byte[] bytes)
    {
        if (region.kind().isHost())
        {
            writeHost(region, offset, bytes);
            return;
        }

        final Stage stage = stage(rank, bytes.length);
        writeHost(stage.region, 0, bytes);
        submit("load into the memory of rank " + rank,
            () -> stage.channel.load(stage.remote, 0, region, offset, bytes.length));
        flush(stage.channel);
    }

    /** Looks into memory of any kind of a rank, as later work on its device would see it. */
    byte[] read(final int rank, final MemoryRegion region, final long offset, final int length)
    {
        if (region.kind().isHost())
        {
            return readHost(region, offset, length);
        }

        final Stage stage = stage(rank, length);
        submit("put from the memory of rank " + rank,
            () -> stage.channel.put(region, offset, stage.remote, 0, length));
        flush(stage.channel);
        return readHost(stage.region, 0, length);
    }

    /** Value of an aligned word of host memory of any rank. */
    static long word(final MemoryRegion region, final long offset)
    {
        return region instanceof ForeignMemory foreign ? foreign.word(offset) :
            region.hostView(offset, Long.BYTES).getLong(0);
    }

    /** Value of such a word; what was published before it is seen by what reads later. */
    static long acquire(final MemoryRegion region, final long offset)
    {
        return region instanceof ForeignMemory foreign ? foreign.word(offset) :
            (long)WORD.getAcquire(region.hostView(offset, Long.BYTES), 0);
    }

    /** Sets an aligned word of host memory of any rank. */
    static void word(final MemoryRegion region, final long offset, final long value)
    {
        if (region instanceof ForeignMemory foreign)
        {
            foreign.word(offset, value);
        }
        else
        {
            region.hostView(offset, Long.BYTES).putLong(0, value);
        }
    }

    @Override
    public void close()
    {
        try (fixture)
        {
            kernels.forEach(RowKernels::close);
            transports.forEach(Transport::close);
        }
    }

    private Stage stage(final int rank, final int length)
    {
        final Stage existing = stages.get(rank);
        if (null != existing && existing.region.length() >= length)
        {
            return existing;
        }

        final MemoryRegion region = allocate(rank, MemoryKind.HOST, length, Access.REMOTE);
        final Stage stage = new Stage(
            region, worker(rank).importRegion(rank, region.descriptor()), connect(rank, rank));
        stages.put(rank, stage);
        return stage;
    }

    private static void writeHost(final MemoryRegion region, final long offset, final byte[] bytes)
    {
        if (region instanceof ForeignMemory foreign)
        {
            foreign.write(offset, bytes);
        }
        else
        {
            region.hostView(offset, bytes.length).put(bytes);
        }
    }

    private static byte[] readHost(final MemoryRegion region, final long offset, final int length)
    {
        if (region instanceof ForeignMemory foreign)
        {
            return foreign.read(offset, length);
        }

        final byte[] bytes = new byte[length];
        region.hostView(offset, length).get(bytes);
        return bytes;
    }

    private static String describeFailure(final Channel channel)
    {
        return null == channel.failure() ? "" : ", failed: " + channel.failure().getMessage();
    }
}
