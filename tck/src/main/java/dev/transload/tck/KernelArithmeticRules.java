/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.ScaleFormat;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import dev.transload.tck.Vectors.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Assertions;

/** Rules KRN on arithmetic: the same bits on every kind of memory. */
interface KernelArithmeticRules
{
    /** Where F32 counts by twos: each 1 added to it is lost, but a 2 is not. */
    float BIG = 1 << 24;

    /**
     * A fresh fixture for one test.
     *
     * @return fixture.
     */
    KernelsFixture fixture();

    @Rule("KRN-5")
    default void krn5SumsHaveTheBitsOfTheVectors()
    {
        final Vectors vectors = Vectors.read("combine");
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final CombineVectors combine = new CombineVectors(test, vectors);
            assertArrayEquals(vectors.get("out_one_node").bytes(), combine.oneNode(), "one node");
            assertArrayEquals(vectors.get("out").bytes(),
                combine.home(ElementType.BF16, false), "partial sums in BF16");
            assertArrayEquals(vectors.get("out_bias").bytes(),
                combine.home(ElementType.BF16, true), "partial sums in BF16, two biases");
            assertArrayEquals(vectors.get("out_wire_f32").bytes(),
                combine.home(ElementType.F32, false), "partial sums in F32");
            Assertions.assertEquals(BIG, sumInOrder(test), "BF16 biases are not added first, or not in F32");
        }
    }

    private static float sumInOrder(final KernelsCase test)
    {
        final int hidden = 8;
        final ByteBuffer rows = ByteBuffer.allocate(2 * hidden * Short.BYTES).order(ByteOrder.nativeOrder());
        for (int i = 0; i < 2 * hidden; i++)
        {
            rows.putShort((short)(Float.floatToRawIntBits(i < hidden ? BIG : 1.0f) >>> Short.SIZE));
        }

        final MemoryRegion source = test.filled(rows.array());
        final MemoryRegion target = test.filled(new byte[hidden * Float.BYTES]);
        final RowTable table = test.kernels.allocateTable(1, 2).clear();
        table.beginRow(0);
        table.add(0, 1);
        table.add(0, 1);
        final long rowBytes = (long)hidden * Short.BYTES;
        final Reduction reduction = new Reduction().source(0, source, 0, rowBytes, ElementType.BF16)
            .target(target, 0, 0, ElementType.F32).biases(source, 0, source, rowBytes, rowBytes).hidden(hidden);
        test.run(() -> test.kernels.reduceRows(reduction, table, 0, 1));
        return ByteBuffer.wrap(test.read(target)).order(ByteOrder.nativeOrder()).getFloat(0);
    }

    @Rule("KRN-6")
    default void krn6WeightedSumsHaveTheBitsOfTheVectors()
    {
        final Vectors vectors = Vectors.read("weighted-sum");
        final Tensor rows = vectors.get("rows");
        final int tokens = rows.shape()[0];
        final int choices = rows.shape()[1];
        final int hidden = rows.shape()[2];
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final MemoryRegion source = test.filled(rows.bytes());
            final ByteBuffer weights =
                ByteBuffer.wrap(vectors.get("weights").bytes()).order(ByteOrder.LITTLE_ENDIAN);
            for (final ElementType type : new ElementType[] {ElementType.F32, ElementType.BF16})
            {
                final int targetBytes = hidden * type.bytes();
                final RowTable table = test.kernels.allocateWeightedTable(tokens, tokens * choices).clear();
                for (int token = 0; token < tokens; token++)
                {
                    table.beginRow(token);
                    for (int k = 0; k < choices; k++)
                    {
                        final int row = token * choices + k;
                        table.add(0, row, weights.getFloat(row * Float.BYTES));
                    }
                }

                final MemoryRegion target = test.filled(new byte[tokens * targetBytes]);
                final Reduction reduction = new Reduction()
                    .source(0, source, 0, (long)hidden * Short.BYTES, ElementType.BF16)
                    .target(target, 0, targetBytes, type).hidden(hidden).weighted(true);
                test.run(() -> test.kernels.reduceRows(reduction, table, 0, tokens));
                assertArrayEquals(vectors.get(ElementType.F32 == type ? "acc" : "out").bytes(), test.read(target),
                    "sums in " + type);
            }
        }
    }

    @Rule("KRN-7")
    default void krn7CastsToFp8HaveTheBitsOfTheVectors()
    {
        final Vectors vectors = Vectors.read("fp8");
        final Tensor x = vectors.get("x");
        final int count = x.shape()[0];
        final int hidden = x.shape()[1];
        final int scaleBytes = Fp8.scales(hidden) * Float.BYTES;
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final MemoryRegion source = test.filled(x.bytes());
            for (final ScaleFormat format : ScaleFormat.values())
            {
                final MemoryRegion target = test.filled(new byte[count * hidden]);
                final MemoryRegion scales = test.filled(new byte[count * scaleBytes]);
                final RowList rows = test.kernels.allocateRows(count);
                final RowList scaleRows = test.kernels.allocateRows(count);
                for (int i = 0; i < count; i++)
                {
                    rows.set(i, (long)i * hidden * Short.BYTES, (long)i * hidden);
                    scaleRows.set(i, -1, (long)i * scaleBytes);
                }

                test.run(() -> test.kernels.quantizeRows(
                    source, target, rows, scales, scaleRows, 0, count, hidden, format));
                final boolean isAmax = ScaleFormat.AMAX == format;
                assertArrayEquals(vectors.get(isAmax ? "scale" : "scale_power_of_two").bytes(), test.read(scales),
                    "scales, " + format);
                assertArrayEquals(vectors.get(isAmax ? "q" : "q_power_of_two").bytes(), test.read(target),
                    "codes, " + format);
            }
        }
    }

    @Rule("KRN-8")
    default void krn8CastsFromFp8HaveTheBitsOfTheVectors()
    {
        final Vectors vectors = Vectors.read("fp8");
        final Tensor q = vectors.get("q");
        final int count = q.shape()[0];
        final int hidden = q.shape()[1];
        final int scaleBytes = Fp8.scales(hidden) * Float.BYTES;
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final MemoryRegion source = test.filled(q.bytes());
            final MemoryRegion scales = test.filled(vectors.get("scale").bytes());
            final MemoryRegion target = test.filled(new byte[count * hidden * Short.BYTES]);
            final RowList rows = test.kernels.allocateRows(count);
            final RowList scaleRows = test.kernels.allocateRows(count);
            for (int i = 0; i < count; i++)
            {
                rows.set(i, (long)i * hidden, (long)i * hidden * Short.BYTES);
                scaleRows.set(i, (long)i * scaleBytes, -1);
            }

            test.run(() -> test.kernels.dequantizeRows(
                source, target, rows, scales, scaleRows, 0, count, hidden));
            assertArrayEquals(vectors.get("back").bytes(), test.read(target));
        }
    }

    @Rule("KRN-9")
    default void krn9SumsMayReplaceASource()
    {
        final int hidden = 8;
        final ByteBuffer floats = ByteBuffer.allocate(2 * hidden * Float.BYTES).order(ByteOrder.nativeOrder());
        for (int i = 0; i < 2 * hidden; i++)
        {
            floats.putFloat(i * 0.5f - 2.0f);
        }

        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final MemoryRegion region = test.filled(floats.array());
            final RowTable table = test.kernels.allocateTable(1, 2).clear();
            table.beginRow(1);
            table.add(0, 0);
            table.add(0, 1);
            final long rowBytes = (long)hidden * Float.BYTES;
            final Reduction reduction = new Reduction().source(0, region, 0, rowBytes, ElementType.F32)
                .target(region, 0, rowBytes, ElementType.F32).hidden(hidden);
            test.run(() -> test.kernels.reduceRows(reduction, table, 0, 1));
            final ByteBuffer sums = ByteBuffer.wrap(test.read(region)).order(ByteOrder.nativeOrder());
            for (int i = 0; i < hidden; i++)
            {
                Assertions.assertEquals(floats.getFloat(i * Float.BYTES), sums.getFloat(i * Float.BYTES));
                Assertions.assertEquals(i * 0.5f - 2.0f + ((i + hidden) * 0.5f - 2.0f),
                    sums.getFloat((i + hidden) * Float.BYTES), "element " + i);
            }
        }
    }
}
