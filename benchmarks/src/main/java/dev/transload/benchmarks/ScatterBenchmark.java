/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.benchmarks;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.spi.RowList;
import dev.transload.transport.base.RowCopy;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
 * Rows of host memory to several ranks' final places: by one scatter, or by a list for each rank, of 1 MiB of rows at a
 * time, so that the second rank finds them in the cache. Memory is far larger than the cache. In rows of the source.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ScatterBenchmark
{
    private static final int BATCH = 512;
    private static final int REGION_BYTES = 192 << 20;
    private static final int CHUNK_BYTES = 1 << 20;

    /** Ranks that each row goes to. */
    @Param({"1", "2", "4", "8"})
    public int fanOut;

    /** Length of a row. */
    @Param({"14336", "7168"})
    public int rowBytes;

    private RowKernels kernels;
    private BufferRegion source;
    private BufferRegion[] targets;
    private RowTable table;
    private RowList rows;
    private RowScatter scatter;
    private int batches;
    private int batch;

    /** Fills the memory, the table and the list. */
    @Setup(Level.Trial)
    public void open()
    {
        kernels = new HostRowKernelsProvider().open(0, Map.of());
        final int count = REGION_BYTES / rowBytes / BATCH * BATCH;
        batches = count / BATCH;
        source = filled();
        targets = new BufferRegion[fanOut];
        scatter = new RowScatter(fanOut).source(source, 0, rowBytes, rowBytes).finalPlaces(true);
        for (int i = 0; i < fanOut; i++)
        {
            targets[i] = filled();
            scatter.target(i, targets[i], 0, rowBytes);
        }

        // Neighbours of a rank's rows are not neighbours at the source, as where each token goes to some ranks only.
        table = kernels.allocateTable(count, count * fanOut);
        rows = kernels.allocateRows(count).rowLength(rowBytes).finalPlaces(true);
        for (int i = 0; i < count; i++)
        {
            final int target = i / BATCH * BATCH + i % BATCH * 3 % BATCH;
            rows.set(i, (long)i * rowBytes, (long)target * rowBytes);
            table.beginRow(i);
            for (int rank = 0; rank < fanOut; rank++)
            {
                table.add(rank, target);
            }
        }
    }

    private static BufferRegion filled()
    {
        final BufferRegion region = new BufferRegion(REGION_BYTES);
        for (int i = 0; i < REGION_BYTES; i += Long.BYTES)
        {
            region.memory().putLong(i, i);
        }

        return region;
    }

    private int nextBatch()
    {
        batch = (batch + 1) % batches;
        return batch * BATCH;
    }

    /**
     * By one operation.
     *
     * @return position.
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long scatter()
    {
        return kernels.scatterRows(scatter, table, nextBatch(), BATCH);
    }

    /** By the copies of channels that map the ranks' memory. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void listPerRank()
    {
        final int from = nextBatch();
        final int chunk = CHUNK_BYTES / rowBytes;
        for (int at = from; at < from + BATCH; at += chunk)
        {
            for (final BufferRegion target : targets)
            {
                RowCopy.copy(source.address(), target.address(), rows, at, Math.min(at + chunk, from + BATCH));
            }
        }
    }

    /**
     * By row kernels.
     *
     * @return position.
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long copyRowsPerRank()
    {
        final int from = nextBatch();
        final int chunk = CHUNK_BYTES / rowBytes;
        for (int at = from; at < from + BATCH; at += chunk)
        {
            for (final BufferRegion target : targets)
            {
                kernels.copyRows(source, target, rows, at, Math.min(chunk, from + BATCH - at));
            }
        }

        return kernels.position();
    }

    /** Closes the kernels. */
    @TearDown(Level.Trial)
    public void close()
    {
        kernels.close();
    }
}
