/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import dev.transload.natives.BundledLibrary;
import dev.transload.spi.RowList;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same bytes by every width of streaming stores as by the JVM, and none beside them. */
class RowCopyTest
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private static final int LINE = 64;
    private static final int MEMORY = 1 << 20;
    private static final int ROWS = 64;

    private final Random random = new Random(7);
    private final ByteBuffer source = BufferUtil.allocateDirectAligned(MEMORY, LINE);
    private final ByteBuffer target = BufferUtil.allocateDirectAligned(MEMORY, LINE);
    private final RowList rows = new RowList(ByteBuffer.allocateDirect(ROWS * RowList.STRIDE), ROWS).finalPlaces(true);
    private final byte[] sent = new byte[MEMORY];
    private final byte[] expected = new byte[MEMORY];
    private final byte[] found = new byte[MEMORY];

    RowCopyTest()
    {
        random.nextBytes(sent);
        source.put(0, sent);
    }

    @Test
    void shouldKnowTheWidestStoreOfThisMachine() throws IOException
    {
        assumeTrue(isBuilt(), "built without the native part");
        final String cpu = Files.readString(Path.of("/proc/cpuinfo"));
        assertEquals(cpu.contains(" avx512f") ? RowStream.WIDTH_AVX512 : cpu.contains(" avx2") ?
            RowStream.WIDTH_AVX2 : RowStream.WIDTH_NONE, RowStream.widest());
    }

    @Test
    void shouldLeaveRowsToTheJvmWithoutTheNativePart()
    {
        assumeTrue(!isBuilt(), "built with the native part");
        assertEquals(RowStream.WIDTH_NONE, RowStream.widest());
    }

    @Test
    void shouldSayWhichLibraryIsMissing()
    {
        final IOException ex = assertThrows(IOException.class,
            () -> BundledLibrary.load(RowCopyTest.class, "absent", path -> assertNotNull(path)));
        assertTrue(ex.getMessage().contains("/libabsent.so"), ex::getMessage);
    }

    @Test
    void shouldStreamManyBytesOfLongRowsOnly()
    {
        final int least = RowCopy.STREAM_MIN_BYTES / RowCopy.STREAM_MIN_ROW;
        assertTrue(RowCopy.isStreamed(RowCopy.STREAM_MIN_ROW, least));
        assertFalse(RowCopy.isStreamed(RowCopy.STREAM_MIN_ROW, least - 1));
        assertFalse(RowCopy.isStreamed(RowCopy.STREAM_MIN_ROW - 1, 2 * least));
        assertTrue(RowCopy.isStreamed(1 << 30, 1 << 10), "bytes that no int holds");
    }

    @ParameterizedTest
    @ValueSource(ints = {RowStream.WIDTH_NONE, RowStream.WIDTH_AVX2, RowStream.WIDTH_AVX512})
    void shouldCopyAnyListAsTheModelDoes(final int width)
    {
        assume(width);
        for (int i = 0; i < 200; i++)
        {
            final int rowLength = 1 + random.nextInt(0 == i % 4 ? 40_000 : 5_000);
            final int shift = random.nextInt(LINE);
            final int count = list(rowLength, shift);
            final int from = random.nextInt(1 + count / 4);
            checkCopy(width, from, count, "list " + i);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {RowStream.WIDTH_NONE, RowStream.WIDTH_AVX2, RowStream.WIDTH_AVX512})
    void shouldCopyFromAndToAnyAlignment(final int width)
    {
        assume(width);
        for (int shift = 0; shift < LINE; shift++)
        {
            final int[] lengths = {1, 8, 32, LINE - 1, LINE, LINE + 8, 5 * LINE + 3, 4096 - shift, 14336, 16384 + LINE};
            for (final int length : lengths)
            {
                rows.rowLength(length).set(0, shift, LINE + LINE - 1 - shift);
                rows.set(1, 50_001 + 3 * shift, 100_000 + shift);
                checkCopy(width, 0, 2, "shift " + shift + ", length " + length);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {RowStream.WIDTH_NONE, RowStream.WIDTH_AVX2, RowStream.WIDTH_AVX512})
    void shouldMoveRowsThatOverlapWithTheirSource(final int width)
    {
        assume(width);
        final long address = BufferUtil.address(target);
        for (final int distance : new int[] {-4096, -65, -1, 0, 1, 65, 4096})
        {
            target.put(0, sent);
            rows.rowLength(10_000).set(0, 8192, 8192 + distance);
            copy(address, address, 0, 1, width);
            System.arraycopy(sent, 0, expected, 0, MEMORY);
            System.arraycopy(sent, 8192, expected, 8192 + distance, 10_000);
            target.get(0, found);
            assertArrayEquals(expected, found, "distance " + distance);
        }
    }

    @Test
    void shouldMoveShortRowsThatOverlapWithTheirSource()
    {
        final long address = BufferUtil.address(target);
        for (int length = Long.BYTES; length <= RowCopy.WORDS_MAX_BYTES; length += Long.BYTES)
        {
            for (int distance = -LINE; distance <= LINE; distance++)
            {
                target.put(0, sent);
                rows.rowLength(length).set(0, LINE, LINE + distance);
                RowCopy.copy(address, address, rows, 0, 1);
                System.arraycopy(sent, 0, expected, 0, MEMORY);
                System.arraycopy(sent, LINE, expected, LINE + distance, length);
                target.get(0, found);
                assertArrayEquals(expected, found, length + " bytes, distance " + distance);
            }
        }
    }

    @Test
    void shouldCopyTheSameWithAndWithoutStreams()
    {
        rows.rowLength(14336);
        for (int i = 0; i < ROWS; i++)
        {
            rows.set(i, (ROWS - 1L - i) * 14336, i * 14336L + 1);
        }

        final long src = BufferUtil.address(source);
        final long dst = BufferUtil.address(target);
        RowCopy.copy(src, dst, rows, 0, ROWS, RowStream.WIDTH_NONE);
        target.get(0, expected);
        target.put(0, new byte[MEMORY]);
        RowCopy.copy(src, dst, rows, 0, ROWS);
        target.get(0, found);
        assertArrayEquals(expected, found);
        assertEquals(sent[(ROWS - 1) * 14336], found[1]);
    }

    @Test
    void shouldAllocateNothing()
    {
        rows.rowLength(RowCopy.STREAM_MIN_ROW);
        for (int i = 0; i < ROWS; i++)
        {
            rows.set(i, (i & 1) * 4096L, i * 4096L);
        }

        // The first rounds run in the interpreter and compile; a round without any is what counts.
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < 30 && allocated > 0; round++)
        {
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 1000; i++)
            {
                RowCopy.copy(BufferUtil.address(source), BufferUtil.address(target), rows, 0, ROWS);
            }
            allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        }
        assertEquals(0, allocated);
    }

    /** Rows in ascending, disjoint places of the target with gaps, some of which continue the row before. */
    private int list(final int rowLength, final int shift)
    {
        rows.rowLength(rowLength);
        long src = random.nextInt(MEMORY - rowLength);
        long dst = shift;
        int count = 0;
        while (count < ROWS && dst + rowLength <= MEMORY)
        {
            rows.set(count++, src, dst);
            dst += rowLength;
            src += rowLength;
            if (random.nextInt(3) > 0 || src + rowLength > MEMORY)
            {
                src = random.nextInt(MEMORY - rowLength);
                dst += random.nextInt(3) * random.nextInt(200);
            }
        }

        return count;
    }

    private void checkCopy(final int width, final int from, final int end, final String what)
    {
        Arrays.fill(expected, (byte)random.nextInt());
        target.put(0, expected);
        for (int i = from; i < end; i++)
        {
            System.arraycopy(sent, (int)rows.srcOffset(i), expected, (int)rows.dstOffset(i), rows.rowLength());
        }

        copy(BufferUtil.address(source), BufferUtil.address(target), from, end, width);
        target.get(0, found);
        assertArrayEquals(expected, found, what);
    }

    /** By streaming stores whatever the size, or by the JVM. */
    private void copy(final long src, final long dst, final int from, final int end, final int width)
    {
        if (RowStream.WIDTH_NONE == width)
        {
            RowCopy.copy(src, dst, rows, from, end, width);
        }
        else
        {
            RowStream.copy(src, dst, rows, from, end, width);
        }
    }

    private static void assume(final int width)
    {
        assumeTrue(width <= RowStream.widest(), "no streaming stores of " + width + " bytes here");
    }

    private static boolean isBuilt()
    {
        return null != RowStream.class.getResource(BundledLibrary.resource(RowStream.LIBRARY));
    }
}
