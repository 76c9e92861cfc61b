/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.TransportContext;
import dev.transload.kernels.StepFifo;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepSends;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepSlots;
import dev.transload.kernels.StepWords;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.SystemNanoClock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One token to a far rank, in nanoseconds: from the entry of the FIFO, which a device would write, until the word that
 * stands behind the row is seen there. The row has 7168 elements of BF16.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class FarPostBenchmark
{
    private static final int HIDDEN = 7168;
    private static final int ROW_BYTES = 2 * HIDDEN;
    private static final int RANKS = 2;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    /** Name of the transport, and its options as lines of its section. */
    @Param({"ucx tls=\"posix,self\"", "ucx tls=\"tcp,self\"", "aeron data-path=mapped"})
    public String transport;

    private final List<LowLatencyParts> parts = new ArrayList<>();
    private StepFifo fifo;
    private FarPosts posts;
    private StepSends sends;
    private StepWords words;
    private long control;
    private long row;
    private long seenAt;
    private StepSlots slots;
    private long slotsAt;
    private long call;

    /** Connects two ranks, which this thread drives. */
    @Setup(Level.Trial)
    public void open()
    {
        final String[] named = transport.split(" ", 2);
        final LowLatencyConfig config = LowLatencyConfig.from(ConfigFactory.parseString(String.join("\n",
            "transload.nodes = 1", "transload.ranks-per-node = " + RANKS, "transload.max-hidden = " + HIDDEN,
            "transload.max-topk = 1", "transload.max-experts = " + RANKS, "transload.scale-up.transport = " + named[0],
            "transload.scale-out.transport = " + named[0], "transload." + named[0] + "." + named[1],
            "transload.payload.kind = HOST", "transload.low-latency { max-tokens = 1, near = never }"))
            .withFallback(ConfigFactory.load()));
        final TransportRegistry registry = TransportRegistry.discover();
        final List<CompletableFuture<LowLatencyParts>> opened = new ArrayList<>();
        for (final InMemoryRendezvous own : InMemoryRendezvous.world(RANKS))
        {
            opened.add(CompletableFuture.supplyAsync(() -> open(config, own, registry)));
        }

        opened.forEach((one) -> parts.add(one.join()));
        for (boolean isReady = false; !isReady;)
        {
            isReady = true;
            for (final LowLatencyParts one : parts)
            {
                isReady &= one.isReady(SystemNanoClock.INSTANCE);
            }
        }

        final LowLatencyParts own = parts.get(0);
        final StepShape shape = own.shape().steps();
        sends = new StepSends(shape, 1);
        words = new StepWords(shape);
        fifo = new StepFifo(BufferUtil.allocateDirectAligned(StepFifo.BYTES, StepFifo.ENTRY_BYTES));
        final TensorMemory block = own.tensors().allocate(MemoryKind.HOST, 0, sends.controlBytes());
        control = block.address();
        final TensorMemory rows = own.tensors().allocate(MemoryKind.HOST, 0, sends.rowsBytes());
        row = rows.address();
        posts = new FarPosts(0, shape, new PeerLink[]{own.link(1)}, fifo, block, rows, own.mask());
        final StepPeer there = parts.get(1).memory().own(parts.get(1).link(0).inStage(), 0);
        seenAt = there.words().address();
        slots = new StepSlots(shape);
        slotsAt = there.slots().address();
    }

    private static LowLatencyParts open(
        final LowLatencyConfig config, final Rendezvous rendezvous, final TransportRegistry registry)
    {
        try (TransportContext context = TransportContext.open(rendezvous, registry))
        {
            return LowLatencyParts.open(config, context, KernelRegistry.discover());
        }
    }

    /**
     * Post a token, and bring it.
     *
     * @return word that was seen.
     */
    @Benchmark
    public long postUntilSeen()
    {
        call++;
        final long word = StepWords.word(1, call, 1);
        final long end = ROW_BYTES - Long.BYTES;
        UnsafeApi.putLong(row + sends.row(call, 0, 0) + end, call);
        UnsafeApi.putLongRelease(null, control + sends.landed(call, 0, 0), word);
        fifo.post(0, StepFifo.HEADERS, call, 0, 1, Integer.BYTES);
        fifo.post(0, StepFifo.ROWS, call, 0, 1, ROW_BYTES);
        fifo.post(0, StepFifo.ROWS_TOLD, call, 0, 0, Integer.BYTES);
        final long at = seenAt + words.landed(call, 0, 0);
        while (UnsafeApi.getLongVolatile(null, at) != word)
        {
            bring();
        }

        if (UnsafeApi.getLong(slotsAt + slots.row(call, 0, 0) + end) != call)
        {
            throw new IllegalStateException("the word of call " + call + " came ahead of its row");
        }

        while (!fifo.isReleased())
        {
            bring();
        }

        return word;
    }

    private void bring()
    {
        posts.doWork(System.nanoTime(), TIMEOUT_NS);
        parts.get(0).progress();
        parts.get(1).progress();
    }

    /** Closes the ranks. */
    @TearDown(Level.Trial)
    public void close()
    {
        parts.forEach(LowLatencyParts::close);
    }
}
