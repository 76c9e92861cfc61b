/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.benchmarks;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.ScaleFormat;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.spi.RowList;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The host row kernels in rows per second; {@code row_kernels.c} has the same loops over the same rows. The hot set is
 * 8 rows, which the second-level cache holds. The cold set is 1 GiB of rows in random order, since there are machines
 * with a last-level cache of 480 MiB.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 1, time = 2)
@Fork(1)
public class RowKernelsBenchmark
{
    private static final int HIDDEN = 7168;
    private static final int SOURCES = 8;
    private static final int ROW_BYTES = HIDDEN * 2;
    private static final int SCALE_BYTES = Fp8.scales(HIDDEN) * Float.BYTES;
    private static final int BATCH = 64;
    private static final int BATCHES = 512;
    private static final int HOT_ROWS = 8;
    private static final int COLD_ROWS = (1 << 30) / ROW_BYTES;

    /** Arithmetic of the kernels. */
    @Param({"vector"})
    public String mode;

    /** Rows that are worked on. */
    @Param({"hot", "cold"})
    public String set;

    private final Reduction reduction = new Reduction();
    private RowKernels kernels;
    private BufferRegion source;
    private BufferRegion target;
    private BufferRegion scales;
    private RowTable groups;
    private RowList rows;
    private RowList scaleRows;
    private long state = 1;
    private int batch;

    /** Rows per second of the thread's CPU time, which other programs on the machine do not change much. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class CpuTime
    {
        private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

        private long startNs;
        private long rows;

        /** Starts anew. */
        @Setup(Level.Iteration)
        public void start()
        {
            startNs = THREADS.getCurrentThreadCpuTime();
            rows = 0;
        }

        /**
         * Rate so far; JMH adds up the iterations, hence there is one.
         *
         * @return rows per second.
         */
        public double rowsPerCpuSecond()
        {
            return rows * 1e9 / (THREADS.getCurrentThreadCpuTime() - startNs);
        }
    }

    /** Fills the set, and draws the rows of {@link #BATCHES} batches. */
    @Setup(Level.Trial)
    public void open()
    {
        final int count = "hot".equals(set) ? HOT_ROWS : COLD_ROWS;
        kernels = new HostRowKernelsProvider().open(0, Map.of("mode", mode));
        source = new BufferRegion(count * ROW_BYTES);
        target = new BufferRegion(count * ROW_BYTES);
        scales = new BufferRegion(count * SCALE_BYTES);
        fill(source.memory());
        reduction.source(0, source, 0, ROW_BYTES, ElementType.BF16).target(target, 0, ROW_BYTES, ElementType.BF16)
            .hidden(HIDDEN);
        groups = kernels.allocateWeightedTable(BATCHES * BATCH, BATCHES * BATCH * SOURCES);
        rows = kernels.allocateRows(BATCHES * BATCH);
        scaleRows = kernels.allocateRows(BATCHES * BATCH);

        for (int i = 0; i < BATCHES * BATCH; i++)
        {
            final long row = nextRow(count);
            rows.set(i, row * ROW_BYTES, row * HIDDEN);
            scaleRows.set(i, 0, row * SCALE_BYTES);
            groups.beginRow(nextRow(count) / 2);
            for (int s = 0; s < SOURCES; s++)
            {
                groups.add(0, nextRow(count), (s + 1) * 0.125f);
            }
        }
    }

    private void fill(final ByteBuffer memory)
    {
        state = 7;
        for (int i = 0; i < memory.capacity(); i += 2)
        {
            final float value = nextRow(2001) / 1000.0f - 1.0f;
            memory.putShort(i, (short)(Float.floatToRawIntBits(value) >>> 16));
        }
    }

    private int nextRow(final int count)
    {
        state = state * 6364136223846793005L + 1442695040888963407L;
        return (int)((state >>> 33) % count);
    }

    private int nextBatch()
    {
        batch = (batch + 1) % BATCHES;
        return batch * BATCH;
    }

    /**
     * Sums of 8 BF16 rows.
     *
     * @param time that it takes.
     * @return position.
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long reduce(final CpuTime time)
    {
        time.rows += BATCH;

        return kernels.reduceRows(reduction.weighted(false), groups, nextBatch(), BATCH);
    }

    /**
     * Weighted sums of 8 BF16 rows.
     *
     * @param time that it takes.
     * @return position.
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long weightedSum(final CpuTime time)
    {
        time.rows += BATCH;

        return kernels.reduceRows(reduction.weighted(true), groups, nextBatch(), BATCH);
    }

    /**
     * Casts from BF16 to E4M3.
     *
     * @param time that it takes.
     * @return position.
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long quantize(final CpuTime time)
    {
        time.rows += BATCH;

        return kernels.quantizeRows(
            source, target, rows, scales, scaleRows, nextBatch(), BATCH, HIDDEN, ScaleFormat.AMAX);
    }

    /** Closes the kernels. */
    @TearDown(Level.Trial)
    public void close()
    {
        kernels.close();
    }
}
