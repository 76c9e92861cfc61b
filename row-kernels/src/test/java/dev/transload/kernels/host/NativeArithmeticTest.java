/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.ScaleFormat;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When native sums are written that wait for each other: in order, before a cast, and not at all behind a failure. */
class NativeArithmeticTest
{
    private static final int HIDDEN = 64;
    private static final int ROW_BYTES = HIDDEN * Bf16.BYTES;
    private static final int ROWS = 600;
    private static final int GROUPS = 10;

    private final BufferRegion source = new BufferRegion(ROWS * ROW_BYTES);
    private final BufferRegion target = new BufferRegion(ROWS * ROW_BYTES);
    private final Failing failing = new Failing();
    private final Reduction reduction = new Reduction(2)
        .source(0, source, 0, ROW_BYTES, ElementType.BF16).source(1, source, 0, ROW_BYTES, ElementType.F32)
        .partType(ElementType.BF16).target(target, 0, ROW_BYTES, ElementType.BF16).hidden(HIDDEN);

    @BeforeEach
    void fill()
    {
        assumeTrue(null == NativeKernels.unavailableBecause(), "this host has no native kernels");
        for (int i = 0; i < ROWS * HIDDEN; i++)
        {
            source.memory().putShort(i * Bf16.BYTES, (short)Bf16.fromFloat(1 + i / HIDDEN % 100));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {ROW_BYTES, 1 << 20})
    void shouldWriteSumsInOrderEachReadingTheOneBefore(final long bytes)
    {
        final SourceRows rows = new SourceRows();
        final RegionViews views = new RegionViews(failing::windowOf);
        final RowArithmetic arithmetic = new NativeArithmetic();
        final RegionView from = views.of(source, "source");
        final RegionView to = views.of(target, "target");

        // Of so many bytes sums are streamed, or not.
        arithmetic.begin(to, bytes);
        for (int i = 1; i < ROWS; i++)
        {
            rows.begin(false);
            rows.addSource(to, ElementType.BF16, (i - 1L) * ROW_BYTES, 1.0f);
            if (i <= 100)
            {
                rows.addSource(from, ElementType.BF16, 0, 1.0f);
            }
            arithmetic.reduce(rows, to, (long)i * ROW_BYTES, ElementType.BF16, HIDDEN);
        }
        arithmetic.flush();
        arithmetic.end();

        for (int i = 0; i < ROWS; i++)
        {
            assertEquals(Math.min(i, 100), valueOf(i), "row " + i);
        }
    }

    @Test
    void shouldWriteASumBeforeItIsCast()
    {
        final SourceRows rows = new SourceRows();
        final RegionViews views = new RegionViews(failing::windowOf);
        final RowArithmetic arithmetic = new NativeArithmetic();
        final RegionView from = views.of(source, "source");
        final RegionView to = views.of(target, "target");
        final RegionView scale = views.of(new BufferRegion(Float.BYTES), "scale");
        final int codes = 10 * ROW_BYTES;
        final int last = Fp8.GROUP - 1;

        arithmetic.begin(to, target.length());
        rows.begin(false);
        rows.addSource(from, ElementType.BF16, ROW_BYTES, 1.0f);
        rows.addSource(from, ElementType.BF16, 0, 1.0f);
        arithmetic.reduce(rows, to, 0, ElementType.BF16, Fp8.GROUP);
        assertEquals(0, valueOf(0), "must wait");
        arithmetic.quantize(to, 0, to, codes, scale.addressOf(0), Fp8.GROUP, ScaleFormat.AMAX);
        assertEquals(3, valueOf(0));
        assertEquals(E4m3.LARGEST, target.memory().get(codes + last));

        rows.begin(false);
        rows.addSource(from, ElementType.BF16, 0, 1.0f);
        arithmetic.reduce(rows, to, 0, ElementType.BF16, Fp8.GROUP);
        assertEquals(3, valueOf(0), "must wait");
        arithmetic.dequantize(to, codes, to, codes + Fp8.GROUP, scale.addressOf(0), Fp8.GROUP);
        assertEquals(1, valueOf(0));
        assertEquals(5, Bf16.toFloat(target.memory().getShort(codes + Fp8.GROUP + last * Bf16.BYTES)));
        arithmetic.flush();
        arithmetic.end();
    }

    @Test
    void shouldForgetTheSumsThatWaitWhereAReductionFails()
    {
        try (RowKernels kernels = new HostRowKernels(failing))
        {
            final RowTable table = kernels.allocateTable(GROUPS, 4 * GROUPS);
            plainGroups(table);
            table.beginRow(GROUPS - 1);
            for (int i = 0; i < 4; i++)
            {
                if (0 == i % 2)
                {
                    table.beginPart();
                }
                table.add(0, 0);
            }

            // Two parts of two rows want scratch, which is opened when it is first used.
            failing.failure = new IllegalStateException("no memory");
            final byte[] before = target.bytes();
            assertThrows(IllegalStateException.class, () -> kernels.reduceRows(reduction, table, 0, GROUPS));
            assertArrayEquals(before, target.bytes());

            failing.failure = null;
            kernels.reduceRows(reduction, table, GROUPS - 1, 1);
            assertEquals(4, valueOf(GROUPS - 1));
            final int length = (GROUPS - 1) * ROW_BYTES;
            assertArrayEquals(new byte[length], Arrays.copyOf(target.bytes(), length));

            kernels.reduceRows(reduction, table, 0, GROUPS);
            for (int i = 0; i < GROUPS - 1; i++)
            {
                assertEquals(i + 1, valueOf(i), "row " + i);
            }
        }
    }

    @Test
    void shouldHaveNothingToWriteBehindAFailure()
    {
        try (RowKernels kernels = new HostRowKernels(failing))
        {
            final RowTable table = kernels.allocateTable(GROUPS, 4 * GROUPS);
            plainGroups(table);
            table.beginRow(GROUPS - 1);
            table.add(1, 0);

            failing.failure = new IllegalStateException("not today");
            assertThrows(IllegalStateException.class, () -> kernels.reduceRows(reduction, table, 0, GROUPS));
            target.memory().put(0, new byte[ROWS * ROW_BYTES]);
            kernels.reduceRows(reduction, table, 1, 1);
            assertEquals(2, valueOf(1));
            assertEquals(0, valueOf(0));
            assertEquals(0, valueOf(2));
        }
    }

    private static void plainGroups(final RowTable table)
    {
        for (int group = 0; group < GROUPS - 1; group++)
        {
            table.beginRow(group);
            table.add(0, group);
        }
    }

    private float valueOf(final int row)
    {
        return Bf16.toFloat(target.memory().getShort(row * ROW_BYTES));
    }

    /** Native, but fails when told to: where it opens a window, and at a sum with an F32 row. */
    private static final class Failing implements RowArithmetic
    {
        private final RowArithmetic arithmetic = new NativeArithmetic();
        private RuntimeException failure;

        @Override
        public String name()
        {
            return arithmetic.name();
        }

        @Override
        public Object windowOf(final ByteBuffer view)
        {
            if (null != failure)
            {
                throw failure;
            }

            return arithmetic.windowOf(view);
        }

        @Override
        public void begin(final RegionView target, final long bytes)
        {
            arithmetic.begin(target, bytes);
        }

        @Override
        public void flush()
        {
            arithmetic.flush();
        }

        @Override
        public void end()
        {
            arithmetic.end();
        }

        @Override
        public void reduce(
            final SourceRows sources, final RegionView target, final long targetOffset, final ElementType targetType,
            final int hidden)
        {
            if (null != failure && sources.leadingBf16() < sources.count())
            {
                throw failure;
            }

            arithmetic.reduce(sources, target, targetOffset, targetType, hidden);
        }

        @Override
        public void quantize(
            final RegionView src, final long srcOffset, final RegionView dst, final long dstOffset,
            final long scaleAddress, final int hidden, final ScaleFormat format)
        {
            arithmetic.quantize(src, srcOffset, dst, dstOffset, scaleAddress, hidden, format);
        }

        @Override
        public void dequantize(
            final RegionView src, final long srcOffset, final RegionView dst, final long dstOffset,
            final long scaleAddress, final int hidden)
        {
            arithmetic.dequantize(src, srcOffset, dst, dstOffset, scaleAddress, hidden);
        }
    }
}
