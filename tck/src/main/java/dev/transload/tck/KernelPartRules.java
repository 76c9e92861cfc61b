/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Rules KRN on sums over several regions, and on sums in parts. */
interface KernelPartRules
{
    /** Elements of a row, all of one value. */
    int HIDDEN = 8;

    /**
     * A fresh fixture for one test.
     *
     * @return fixture.
     */
    KernelsFixture fixture();

    @Rule("KRN-15")
    default void krn15SourcesAreReadWhereTheySay()
    {
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final Reduction reduction = new Reduction(4);
            set(test, reduction, 0, ElementType.BF16, 1.0f, 2.0f);
            set(test, reduction, 1, ElementType.F32, 4.0f, 8.5f);
            set(test, reduction, 3, ElementType.BF16, 16.0f, 32.0f);
            final RowTable table = test.kernels.allocateWeightedTable(2, 4).clear();
            table.beginRow(0);
            table.add(3, 1, 1.0f);
            table.add(1, 1, 1.0f);
            table.add(0, 0, 1.0f);
            table.beginRow(1);
            table.add(3, 0, 1.0f);
            assertSums(test, reduction, table, 32.0f + 8.5f + 1.0f, 16.0f);
        }
    }

    @Rule("KRN-16")
    default void krn16PartsAreSummedByThemselves()
    {
        final float big = KernelArithmeticRules.BIG;
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            final MemoryRegion source = test.filled(rows(ElementType.BF16, big, 1.0f));
            final long rowBytes = rowBytes(ElementType.BF16);
            final Reduction reduction = new Reduction().source(0, source, 0, rowBytes, ElementType.BF16)
                .biases(source, 0, null, 0, 0);
            final RowTable table = test.kernels.allocateWeightedTable(2, 6).clear();
            table.beginRow(0);
            table.beginPart();
            table.add(0, 1, 1.0f);
            table.add(0, 1, 1.0f);
            table.beginPart();
            table.add(0, 1, 1.0f);
            table.add(0, 1, 1.0f);
            table.beginRow(1);
            table.add(0, 1, 1.0f);
            table.add(0, 1, 1.0f);
            assertSums(test, reduction, table, big + 4.0f, big);
        }
    }

    @Rule("KRN-17")
    default void krn17PartsAreRounded()
    {
        try (KernelsCase test = new KernelsCase(fixture()))
        {
            // At 257, and at 514, BF16 has no odd numbers of its units, and both are ties.
            final Reduction reduction = new Reduction(2).partType(ElementType.BF16);
            set(test, reduction, 0, ElementType.BF16, 256.0f, 1.0f);
            set(test, reduction, 1, ElementType.F32, 257.0f);
            final RowTable table = test.kernels.allocateWeightedTable(1, 4).clear();
            table.beginRow(0);
            table.beginPart();
            table.add(0, 0, 2.0f);
            table.add(0, 1, 2.0f);
            table.beginPart();
            table.add(0, 1, 2.0f);
            table.beginPart();
            table.add(1, 0, 2.0f);
            assertSums(test, reduction, table, 256.0f + 1.0f + 256.0f);
            assertSums(test, reduction.weighted(true), table, 512.0f + 2.0f + 512.0f);
            assertSums(test, reduction.partType(ElementType.F32), table, 514.0f + 2.0f + 514.0f);
        }
    }

    private static void assertSums(
        final KernelsCase test, final Reduction reduction, final RowTable table, final float... expected)
    {
        final MemoryRegion target = test.filled(new byte[expected.length * HIDDEN * Float.BYTES]);
        reduction.target(target, 0, rowBytes(ElementType.F32), ElementType.F32).hidden(HIDDEN);
        test.run(() -> test.kernels.reduceRows(reduction, table, 0, expected.length));
        final float[] sums = new float[expected.length * HIDDEN];
        final float[] rows = new float[sums.length];
        ByteBuffer.wrap(test.read(target)).order(ByteOrder.nativeOrder()).asFloatBuffer().get(sums);
        for (int i = 0; i < expected.length; i++)
        {
            Arrays.fill(rows, i * HIDDEN, (i + 1) * HIDDEN, expected[i]);
        }

        assertArrayEquals(rows, sums, () -> "seen " + Arrays.toString(sums));
    }

    /** A source region, of so many rows. */
    private static void set(
        final KernelsCase test, final Reduction reduction, final int region, final ElementType type,
        final float... values)
    {
        reduction.source(region, test.filled(rows(type, values)), 0, rowBytes(type), type);
    }

    private static long rowBytes(final ElementType type)
    {
        return (long)HIDDEN * type.bytes();
    }

    private static byte[] rows(final ElementType type, final float... values)
    {
        final ByteBuffer rows =
            ByteBuffer.allocate(values.length * HIDDEN * type.bytes()).order(ByteOrder.nativeOrder());
        for (final float value : values)
        {
            for (int i = 0; i < HIDDEN; i++)
            {
                if (ElementType.F32 == type)
                {
                    rows.putFloat(value);
                }
                else
                {
                    rows.putShort((short)(Float.floatToRawIntBits(value) >>> Short.SIZE));
                }
            }
        }

        return rows.array();
    }
}
