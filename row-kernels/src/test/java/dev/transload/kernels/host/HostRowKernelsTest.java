/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.ForeignEvent;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.ScaleFormat;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.RowList;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class HostRowKernelsTest
{
    private static final int ROW_BYTES = 24;

    private final RowKernels kernels = Modes.open("scalar");
    private final BufferRegion source = new BufferRegion(10 * ROW_BYTES);
    private final BufferRegion target = new BufferRegion(10 * ROW_BYTES);

    HostRowKernelsTest()
    {
        for (int i = 0; i < source.length(); i++)
        {
            source.memory().put(i, (byte)(i + 1));
        }
    }

    @AfterEach
    void close()
    {
        kernels.close();
    }

    @Test
    void shouldCopyScatteredAndNeighbouringRows()
    {
        final RowList rows = kernels.allocateRows(5).rowLength(ROW_BYTES);
        final int[][] entries = {{9, 0}, {2, 3}, {3, 4}, {4, 5}, {4, 9}};
        final byte[] expected = new byte[10 * ROW_BYTES];
        for (int i = 0; i < entries.length; i++)
        {
            rows.set(i, (long)entries[i][0] * ROW_BYTES, (long)entries[i][1] * ROW_BYTES);
            if (i > 0)
            {
                System.arraycopy(
                    source.bytes(), entries[i][0] * ROW_BYTES, expected, entries[i][1] * ROW_BYTES, ROW_BYTES);
            }
        }

        assertEquals(1, kernels.copyRows(source, target, rows, 1, 4));
        assertArrayEquals(expected, target.bytes());
    }

    @Test
    void shouldZeroOnlyTheRowsAskedFor()
    {
        final RowList rows = kernels.allocateRows(3).rowLength(ROW_BYTES);
        final byte[] expected = source.bytes();
        for (int i = 0; i < 3; i++)
        {
            rows.set(i, -1, (long)(2 * i + i / 2) * ROW_BYTES);
        }
        Arrays.fill(expected, 2 * ROW_BYTES, 3 * ROW_BYTES, (byte)0);
        Arrays.fill(expected, 5 * ROW_BYTES, 6 * ROW_BYTES, (byte)0);

        kernels.zeroRows(source, rows, 1, 2);
        assertArrayEquals(expected, source.bytes());
    }

    @Test
    void shouldCompleteEveryOperationAtSubmission()
    {
        final RowList rows = kernels.allocateRows(1).rowLength(ROW_BYTES);
        for (long position = 1; position <= 3; position++)
        {
            assertEquals(position, kernels.copyRows(source, target, rows, 0, 0));
            assertEquals(position, kernels.position());
            assertEquals(position, kernels.completedPosition());
        }

        assertEquals(0, kernels.progress());
    }

    @Test
    void shouldWriteZerosForARowWithoutEntries()
    {
        final RowTable table = kernels.allocateTable(1, 0);
        table.beginRow(0);
        target.memory().put(0, source.bytes());
        kernels.reduceRows(reduction(), table, 0, 1);
        assertArrayEquals(new byte[16], Arrays.copyOf(target.bytes(), 16));
        assertEquals(17, target.memory().get(16));
    }

    @Test
    void shouldRefuseRowsOutsideTheirRegionBeforeWriting()
    {
        final RowList rows = kernels.allocateRows(3).rowLength(ROW_BYTES);
        rows.set(0, 0, 0);
        rows.set(1, 9 * ROW_BYTES + 1, ROW_BYTES);
        rows.set(2, 0, -1);

        refused(IndexOutOfBoundsException.class, "src: entry 1", () ->
            kernels.copyRows(source, target, rows, 0, 2));
        refused(IndexOutOfBoundsException.class, "dst: entry 2", () -> kernels.zeroRows(target, rows, 0, 3));
        refused(IllegalArgumentException.class, "rows", () -> kernels.copyRows(source, target, rows, 2, 2));
        refused(IllegalArgumentException.class, "count = -1", () -> kernels.zeroRows(target, rows, 2, -1));
        assertArrayEquals(new byte[10 * ROW_BYTES], target.bytes());
        assertEquals(0, kernels.position());
    }

    @Test
    void shouldRefuseReductionsOutsideTheirRegionsBeforeWriting()
    {
        target.memory().put(0, source.bytes());
        final RowTable table = kernels.allocateTable(2, 2);
        table.beginRow(0);
        table.add(0, 0);
        table.beginRow(1);
        table.add(0, 9);

        kernels.reduceRows(reduction(), table, 0, 0);
        refused(IndexOutOfBoundsException.class, "source: the table names row 9", () ->
            kernels.reduceRows(
                reduction().source(0, source, ROW_BYTES, ROW_BYTES, ElementType.BF16), table, 0, 1));
        refused(IndexOutOfBoundsException.class, "bias0: the table names row 1", () ->
            kernels.reduceRows(reduction().biases(source, source.length() - 16, null, 0, 1), table, 0, 2));
        refused(IndexOutOfBoundsException.class, "bias1: the table names row 1", () -> kernels.reduceRows(
            reduction().biases(source, 0, source, source.length() - 16, 1), table, 0, 2));
        refused(IndexOutOfBoundsException.class, "target: the table names row 1", () ->
            kernels.reduceRows(reduction().target(target, 10, target.length(), ElementType.BF16), table, 0, 1));
        refused(IndexOutOfBoundsException.class, "source: the table names row 9", () ->
            kernels.reduceRows(reduction().source(0, source, 0, Long.MAX_VALUE, ElementType.BF16), table, 0, 1));
        refused(IllegalArgumentException.class, "source: base = -1", () ->
            kernels.reduceRows(reduction().source(0, source, -1, ROW_BYTES, ElementType.BF16), table, 0, 1));
        refused(IllegalArgumentException.class, "rows of table", () ->
            kernels.reduceRows(reduction(), table, 2, 1));
        refused(IllegalArgumentException.class, "table has no weights", () ->
            kernels.reduceRows(reduction().weighted(true), table, 0, 1));
        assertArrayEquals(source.bytes(), target.bytes());
    }

    @Test
    void shouldRefuseEntriesInRegionsThatAreNotSetBeforeWriting()
    {
        target.memory().put(0, source.bytes());
        final RowTable table = kernels.allocateTable(2, 2);
        table.beginRow(0);
        table.add(2, 0);
        final Reduction three = new Reduction(3).source(0, source, 0, ROW_BYTES, ElementType.BF16)
            .source(2, source, 0, ROW_BYTES, ElementType.F32).target(target, 0, ROW_BYTES, ElementType.BF16).hidden(8);

        refused(IllegalArgumentException.class, "names region 2", () ->
            kernels.reduceRows(reduction(), table, 0, 1));
        refused(IllegalArgumentException.class, "partType = null", () ->
            kernels.reduceRows(reduction().partType(null), table, 0, 0));
        assertArrayEquals(source.bytes(), target.bytes());

        kernels.reduceRows(three, table, 0, 1);
        table.beginRow(0);
        table.add(1, 0);
        refused(IllegalArgumentException.class, "names region 1", () ->
            kernels.reduceRows(three, table, 0, 1));
    }

    @Test
    void shouldRefuseScattersOfOtherMemoryAndOfNegativeLengths()
    {
        final RowTable table = kernels.allocateTable(1, 1);
        final RowScatter scatter = new RowScatter(2).source(source, 0, ROW_BYTES, ROW_BYTES);
        refused(IllegalArgumentException.class, "source is null", () ->
            kernels.scatterRows(new RowScatter(1).source(null, 0, 0, 1), table, 0, 0));
        refused(IllegalArgumentException.class, "rows of -1 bytes", () ->
            kernels.scatterRows(new RowScatter(1).source(source, 0, 0, -1), table, 0, 0));
        refused(IllegalArgumentException.class, "rows of table", () -> kernels.scatterRows(scatter, table, 0, 1));
        table.beginRow(0);
        table.add(1, 0);
        refused(IllegalArgumentException.class, "names region 1", () ->
            kernels.scatterRows(scatter.target(0, target, 0, ROW_BYTES), table, 0, 1));
        assertEquals(0, kernels.position());
    }

    @Test
    void shouldRefuseTypesAndLengthsThatHaveNoArithmetic()
    {
        final RowTable table = kernels.allocateTable(1, 1);
        final RowList rows = kernels.allocateRows(1);
        refused(IllegalArgumentException.class, "sourceType = F8_E4M3", () ->
            kernels.reduceRows(reduction().source(0, source, 0, ROW_BYTES, ElementType.F8_E4M3), table, 0, 0));
        refused(IllegalArgumentException.class, "targetType = null", () ->
            kernels.reduceRows(reduction().target(target, 0, ROW_BYTES, null), table, 0, 0));
        for (final int hidden : new int[]{0, -8, 12})
        {
            refused(IllegalArgumentException.class, "hidden = " + hidden, () ->
                kernels.reduceRows(reduction().hidden(hidden), table, 0, 0));
        }
        refused(IllegalArgumentException.class, "multiple of 128", () ->
            kernels.quantizeRows(source, target, rows, target, rows, 0, 0, 64, ScaleFormat.AMAX));
        refused(IllegalArgumentException.class, "multiple of 128", () ->
            kernels.dequantizeRows(source, target, rows, target, rows, 0, 0, 200));
        refused(IllegalArgumentException.class, "src is null", () -> kernels.copyRows(null, target, rows, 0, 0));
    }

    @Test
    void shouldRefuseAClosedRegionThatItHasUsedBefore()
    {
        final RowList rows = kernels.allocateRows(1).rowLength(ROW_BYTES);
        kernels.copyRows(source, target, rows, 0, 1);
        source.close();
        refused(IllegalStateException.class, "closed", () -> kernels.copyRows(source, target, rows, 0, 1));
    }

    @Test
    void shouldServeMoreRegionsThanItRemembers()
    {
        final RowList rows = kernels.allocateRows(1).rowLength(ROW_BYTES);
        for (int i = 0; i < 3 * RegionViews.CAPACITY; i++)
        {
            final BufferRegion region = new BufferRegion(ROW_BYTES);
            kernels.copyRows(source, region, rows, 0, 1);
            assertEquals(1, region.memory().get(0));
        }
    }

    @Test
    void shouldRefuseEventsSinceHostMemoryHasNone()
    {
        final ForeignEvent event = new ForeignEvent(MemoryKind.CUDA, 0, 1);
        refused(UnsupportedOperationException.class, "host memory has no events", () -> kernels.waitFor(event));
        refused(UnsupportedOperationException.class, "host memory has no events", () -> kernels.record(event));
    }

    @Test
    void shouldRefuseASecondThreadAndUseAfterClose()
    {
        kernels.progress();
        final Executor other = (task) -> new Thread(task, "second").start();
        final CompletionException failure = assertThrows(CompletionException.class, () ->
            CompletableFuture.supplyAsync(kernels::progress, other).join());
        assertTrue(failure.getCause().getMessage().contains("'second'"), failure::toString);

        kernels.close();
        refused(IllegalStateException.class, "closed", kernels::progress);
    }

    @Test
    void shouldRefuseUnknownOptions()
    {
        assertNull(Modes.provider().unavailableBecause(Map.of()));
        assertNotNull(Modes.provider().open(0, Map.of()));
        refused(ConfigurationException.class, "threads is not a key", () ->
            Modes.provider().open(0, Map.of("threads", "2")));
        refused(ConfigurationException.class, "auto, native, scalar or vector", () ->
            Modes.provider().open(0, Map.of("mode", "fast")));
        refused(IllegalArgumentException.class, "device = 1", () -> Modes.provider().open(1, Map.of()));
    }

    private Reduction reduction()
    {
        return new Reduction().source(0, source, 0, ROW_BYTES, ElementType.BF16)
            .target(target, 0, ROW_BYTES, ElementType.BF16).hidden(8);
    }

    private static void refused(
        final Class<? extends RuntimeException> type, final String part, final Executable call)
    {
        final RuntimeException refusal = assertThrows(type, call);
        assertTrue(refusal.getMessage().contains(part), refusal::toString);
    }
}
