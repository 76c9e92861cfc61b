/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.tck.PlainRegion;
import dev.transload.transport.nvlink.Emulator;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Which kernel sums what: the bits are those of any, so that only this tells. No row is read. */
class SumRegionsTest
{
    private static final int HIDDEN = 8;
    private static final int STRIDE = HIDDEN * Short.BYTES;
    private static final MemoryRegion REGION = new PlainRegion(MemoryKind.CUDA, 0, 4096, 1 << 20, null, () -> {});

    private final SumRegions sums = new SumRegions(new RegionAddresses(Emulator.device(0)));

    @Test
    void shouldTakeFewRowsInPartsForPlain()
    {
        resolve(reduction(), 2, 2, 2, 2);
        assertChoice(true, true);
        resolve(reduction(), 1, 1, 1);
        assertChoice(true, true);
        resolve(biased(reduction()), 3, 3);
        assertChoice(true, true);
        resolve(reduction(), -8);
        assertChoice(true, false);
        resolve(biased(reduction()), -6);
        assertChoice(true, false);
    }

    @Test
    void shouldTakeNothingElseForPlain()
    {
        resolve(reduction(), 4, 5);
        assertChoice(false, true);
        resolve(biased(reduction()), 3, 4);
        assertChoice(false, true);
        resolve(reduction().source(0, REGION, 2, STRIDE, ElementType.BF16), 2, 2);
        assertChoice(false, true);
        resolve(reduction().source(0, REGION, 0, 2 * STRIDE, ElementType.F32), 2, 2);
        assertChoice(false, true);
        resolve(reduction(), -9);
        assertChoice(false, false);
    }

    private void assertChoice(final boolean isPlain, final boolean hasParts)
    {
        assertEquals(isPlain, sums.isPlain(), "plain");
        assertEquals(hasParts, sums.hasParts(), "parts");
    }

    private static Reduction reduction()
    {
        return new Reduction(1).target(REGION, 0, STRIDE, ElementType.BF16).hidden(HIDDEN)
            .source(0, REGION, 0, STRIDE, ElementType.BF16);
    }

    private static Reduction biased(final Reduction reduction)
    {
        return reduction.biases(REGION, 0, REGION, STRIDE, STRIDE);
    }

    /** One sum, of parts of so many rows; or of a negative number of rows without parts. */
    private void resolve(final Reduction reduction, final int... parts)
    {
        final RowTable table = new RowTable(ByteBuffer.allocateDirect(RowTable.bytes(1, 16, false)), 1, 16, false);
        table.beginRow(0);
        for (final int rows : parts)
        {
            if (rows > 0)
            {
                table.beginPart();
            }

            for (int i = 0; i < Math.abs(rows); i++)
            {
                table.add(0, i);
            }
        }

        sums.resolve(reduction, table, 0, 1);
    }
}
