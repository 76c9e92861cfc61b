/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RowCopiesTest
{
    private static final int BYTES = 64;

    private final RowKernels kernels = Modes.open("scalar");
    private final RowCopies copies = new RowCopies();
    private final BufferRegion source = new BufferRegion(BYTES);
    private final BufferRegion target = new BufferRegion(BYTES);

    RowCopiesTest()
    {
        for (int i = 0; i < BYTES; i++)
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
    void shouldCopyPartsOfDifferentRegionsAndRowLengths()
    {
        final BufferRegion other = new BufferRegion(BYTES);
        final byte[] expected = new byte[BYTES];
        final byte[] expectedOther = new byte[BYTES];
        System.arraycopy(source.bytes(), 8, expected, 40, 8);
        System.arraycopy(source.bytes(), 1, expected, 7, 13);
        System.arraycopy(source.bytes(), 0, expectedOther, 63, 1);

        copies.add(source, target, rows(8, 0, 0, 8, 40), 1, 1)
            .add(source, other, rows(1, 0, 63), 0, 1)
            .add(source, other, rows(0, 3, 3), 0, 1)
            .add(source, target, rows(13, 1, 7), 0, 1);
        assertEquals(1, kernels.copyRows(copies));
        assertEquals(1, kernels.completedPosition());
        assertArrayEquals(expected, target.bytes());
        assertArrayEquals(expectedOther, other.bytes());
    }

    @Test
    void shouldCountACopyOfNothing()
    {
        assertEquals(1, kernels.copyRows(copies));
        assertEquals(2, kernels.copyRows(copies.add(source, target, rows(8, -1, -1), 1, 0)));
        assertEquals(2, kernels.completedPosition());
        assertArrayEquals(new byte[BYTES], target.bytes());
    }

    @Test
    void shouldRefuseAllPartsForMisuseInTheLast()
    {
        final RowList right = rows(8, 0, 0);

        assertRefused(IndexOutOfBoundsException.class, "src: entry 0", source, target, rows(8, 57, 8), 1);
        assertRefused(IndexOutOfBoundsException.class, "dst: entry 1", source, target, rows(8, 0, 0, 0, -1), 2);
        assertRefused(IllegalArgumentException.class, "count = 2", source, target, right, 2);
        assertRefused(IllegalArgumentException.class, "dst is null", source, null, right, 1);
    }

    @Test
    void shouldServeAllRegionsThatPartsCanHave()
    {
        for (int call = 1; call <= 2; call++)
        {
            final BufferRegion[] targets = new BufferRegion[RowCopies.MAX_PARTS];
            copies.clear();
            for (int i = 0; copies.hasRoom(1); i++)
            {
                targets[i] = new BufferRegion(1);
                copies.add(BufferRegion.of(new byte[] {0, (byte)(i + call)}), targets[i], rows(1, 1, 0), 0, 1);
            }

            assertEquals(call, kernels.copyRows(copies));
            for (int i = 0; i < targets.length; i++)
            {
                assertEquals(i + call, targets[i].memory().get(0));
            }
        }
    }

    private void assertRefused(
        final Class<? extends RuntimeException> type, final String text, final MemoryRegion src,
        final MemoryRegion dst, final RowList rows, final int count)
    {
        copies.clear().add(source, target, rows(8, 0, 0), 0, 1).add(src, dst, rows, 0, count);
        final String said = assertThrows(type, () -> kernels.copyRows(copies)).getMessage();
        assertTrue(said.contains(text), said);
        assertArrayEquals(new byte[BYTES], target.bytes());
        assertEquals(0, kernels.position());
    }

    /** Of pairs of offsets. */
    private RowList rows(final int length, final long... offsets)
    {
        final RowList rows = kernels.allocateRows(offsets.length / 2).rowLength(length);
        for (int i = 0; i < rows.capacity(); i++)
        {
            rows.set(i, offsets[2 * i], offsets[2 * i + 1]);
        }

        return rows;
    }
}
