/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx.internal.ucp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.RowList;
import dev.transload.transport.ucx.NeedsUcx;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Every call against the UCX of this host, by JNI and by JNA, on shared memory and on the sockets of the loopback. */
@NeedsUcx
@Timeout(120)
class UcpCallsTest
{
    private static final int ROW = 1000;
    private static final int ROWS = 96;

    @ParameterizedTest
    @CsvSource({"JNI,posix", "JNA,posix", "JNI,tcp", "JNA,tcp"})
    void shouldPutBytesOfEveryLength(final UcpBinding binding, final String transports)
    {
        try (Loopback loopback = new Loopback(binding, transports))
        {
            fill(loopback);
            int offset = 0;
            for (final int length : new int[]{0, 1, 8, 100, 14_336, 300_000})
            {
                assertEquals(UcpCalls.OK, loopback.put(offset, length, offset + 3));
                offset += length;
            }
            loopback.flush();

            for (int i = 0; i < offset; i++)
            {
                assertEquals(loopback.near.getByte(i), loopback.far.getByte(i + 3), "byte " + i);
            }
            assertEquals(0, loopback.far.getByte(offset + 3));
        }
    }

    @ParameterizedTest
    @CsvSource({"JNI,posix", "JNA,posix", "JNI,tcp", "JNA,tcp"})
    void shouldPutWithoutAMemoryHandle(final UcpBinding binding, final String transports)
    {
        try (Loopback loopback = new Loopback(binding, transports))
        {
            fill(loopback);
            assertEquals(UcpCalls.OK, loopback.calls.put(loopback.endpoint, loopback.nearAddress(1), 20_000,
                loopback.farAddress(2), loopback.remoteKey, 0, UcpCalls.MEMORY_TYPE_HOST));
            loopback.flush();

            for (int i = 0; i < 20_000; i++)
            {
                assertEquals(loopback.near.getByte(i + 1), loopback.far.getByte(i + 2), "byte " + i);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"JNI,posix", "JNA,posix", "JNI,tcp", "JNA,tcp"})
    void shouldPutRowsWhereverTheyLie(final UcpBinding binding, final String transports)
    {
        try (Loopback loopback = new Loopback(binding, transports))
        {
            fill(loopback);
            final RowList rows = rows();
            assertEquals(ROWS - 2, putRows(loopback, rows, 1, ROWS - 2, ROW));
            loopback.flush();

            final byte[] expected = new byte[Loopback.LENGTH];
            for (int i = 1; i < ROWS - 1; i++)
            {
                loopback.near.getBytes((int)rows.srcOffset(i) + 8, expected, (int)rows.dstOffset(i) + 16, ROW);
            }
            for (int i = 0; i < expected.length; i++)
            {
                assertEquals(expected[i], loopback.far.getByte(i), "byte " + i);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"JNI", "JNA"})
    void shouldAcceptNoRowsAndRowsOfNoBytes(final UcpBinding binding)
    {
        try (Loopback loopback = new Loopback(binding, "posix"))
        {
            assertEquals(0, putRows(loopback, rows(), ROWS, 0, ROW));
            assertEquals(ROWS, putRows(loopback, rows(), 0, ROWS, 0));
            loopback.flush();
        }
    }

    @ParameterizedTest
    @CsvSource({"JNI,posix", "JNA,posix", "JNI,tcp", "JNA,tcp"})
    void shouldGetWhatIsThere(final UcpBinding binding, final String transports)
    {
        try (Loopback loopback = new Loopback(binding, transports))
        {
            for (int i = 0; i < 20_000; i++)
            {
                loopback.far.putByte(i, (byte)(i * 7));
            }
            for (final long memoryHandle : new long[]{loopback.memoryHandle, 0})
            {
                loopback.near.setMemory(0, 20_008, (byte)0);
                assertEquals(UcpCalls.OK, loopback.calls.get(loopback.endpoint, loopback.nearAddress(8), 20_000,
                    loopback.farAddress(0), loopback.remoteKey, memoryHandle, UcpCalls.MEMORY_TYPE_HOST));
                loopback.flush();

                for (int i = 0; i < 20_000; i++)
                {
                    assertEquals((byte)(i * 7), loopback.near.getByte(i + 8), "byte " + i);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"JNI,posix", "JNA,posix", "JNI,tcp", "JNA,tcp"})
    void shouldAddEveryDeltaOnce(final UcpBinding binding, final String transports)
    {
        try (Loopback loopback = new Loopback(binding, transports))
        {
            long expected = 0;
            for (int i = 0; i < 2_000; i++)
            {
                final long delta = i * 0x1_0000_0001L - 5_000;
                assertEquals(UcpCalls.OK, loopback.add(delta, 64));
                expected += delta;
            }
            loopback.flush();

            assertEquals(expected, loopback.far.getLong(64));
            assertEquals(0, loopback.far.getLong(56));
            assertEquals(0, loopback.far.getLong(72));
        }
    }

    @ParameterizedTest
    @CsvSource({"JNI,posix", "JNA,posix", "JNI,tcp", "JNA,tcp"})
    void shouldFlushOperationsOfSeveralSorts(final UcpBinding binding, final String transports)
    {
        try (Loopback loopback = new Loopback(binding, transports))
        {
            loopback.near.putLong(0, 42);
            assertEquals(UcpCalls.OK, loopback.put(0, Long.BYTES, 8));
            assertEquals(UcpCalls.OK, loopback.add(1, 16));
            loopback.flush();
            assertEquals(42, loopback.far.getLong(8));
            assertEquals(1, loopback.far.getLong(16));

            loopback.flush();
            assertEquals(0, loopback.calls.progress(loopback.worker));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"JNI", "JNA"})
    void shouldGiveARequestWhileAFlushWaits(final UcpBinding binding)
    {
        try (Loopback loopback = new Loopback(binding, "tcp"))
        {
            assertEquals(UcpCalls.OK, loopback.put(0, Long.BYTES, 0));
            final long request = loopback.calls.flush(loopback.endpoint);
            assertTrue(request > 0, "the far end has not run yet");
            assertEquals(UcpCalls.IN_PROGRESS, loopback.calls.requestStatus(request));
            loopback.calls.requestFree(request);
            loopback.flush();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"JNI", "JNA"})
    void shouldPointAtRemoteMemoryWhereItIsShared(final UcpBinding binding)
    {
        try (Loopback loopback = new Loopback(binding, "posix"))
        {
            final long pointer = loopback.calls.remotePointer(loopback.remoteKey, loopback.farAddress(24));
            assertTrue(pointer > 0, () -> loopback.calls.statusText((int)pointer));
            final UnsafeBuffer direct = new UnsafeBuffer(pointer, Long.BYTES);
            direct.putLong(0, 77);
            assertEquals(77, loopback.far.getLong(24));
        }

        try (Loopback loopback = new Loopback(binding, "tcp"))
        {
            final long pointer = loopback.calls.remotePointer(loopback.remoteKey, loopback.farAddress(24));
            assertTrue(pointer < 0, "sockets have no direct way");
            assertNotEquals("Success", loopback.calls.statusText((int)pointer));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"JNI", "JNA"})
    void shouldGiveUcxsOwnWordsAndVersion(final UcpBinding binding)
    {
        final UcpLibrary library = Loopback.load(binding);
        assertEquals(binding.name(), library.calls().name());
        assertEquals("Success", library.calls().statusText(0));
        assertEquals("Operation in progress", library.calls().statusText(UcpCalls.IN_PROGRESS));
        assertEquals("Endpoint timeout", library.calls().statusText(-80));
        final UcxVersions versions = library.versions();
        assertEquals(library.calls().version(),
            UcxVersions.pack(versions.major(), versions.minor(), versions.release()));
        assertEquals(1, versions.major());
        assertTrue(versions.minor() >= 13, versions::toString);
    }

    @ParameterizedTest
    @EnumSource(names = {"JNI", "JNA"})
    void shouldRefuseHandlesAndAddressesOfZero(final UcpBinding binding)
    {
        final UcpCalls calls = Loopback.load(binding).calls();
        refused("endpoint=0", () -> calls.put(0, 8, 8, 8, 8, 0, 0));
        refused("remoteKey=0", () -> calls.put(8, 8, 8, 8, 0, 0, 0));
        refused("address=0 (local)", () -> calls.put(8, 0, 8, 8, 8, 0, 0));
        refused("address=0 (remote)", () -> calls.put(8, 8, 8, 0, 8, 0, 0));
        refused("length=-1", () -> calls.put(8, 8, -1, 8, 8, 0, 0));
        refused("endpoint=0", () -> calls.get(0, 8, 8, 8, 8, 0, 0));
        refused("remoteKey=0", () -> calls.get(8, 8, 8, 8, 0, 0, 0));
        refused("endpoint=0", () -> calls.putRows(0, 8, 8, 8, 0, 1, 8, 8, 0, 0));
        refused("remoteKey=0", () -> calls.putRows(8, 8, 8, 8, 0, 1, 8, 0, 0, 0));
        refused("rows=0", () -> calls.putRows(8, 8, 8, 0, 0, 1, 8, 8, 0, 0));
        refused("count=-1", () -> calls.putRows(8, 8, 8, 8, 0, -1, 8, 8, 0, 0));
        refused("from=-1", () -> calls.putRows(8, 8, 8, 8, -1, 1, 8, 8, 0, 0));
        refused("rowLength=-1", () -> calls.putRows(8, 8, 8, 8, 0, 1, -1, 8, 0, 0));
        refused("endpoint=0", () -> calls.atomicAdd(0, 1, 8, 8));
        refused("remoteKey=0", () -> calls.atomicAdd(8, 1, 8, 0));
        refused("dst=12", () -> calls.atomicAdd(8, 1, 12, 8));
        refused("worker=0", () -> calls.progress(0));
        refused("endpoint=0", () -> calls.flush(0));
        refused("request=0", () -> calls.requestStatus(0));
        refused("request=0", () -> calls.requestFree(0));
        refused("remoteKey=0", () -> calls.remotePointer(0, 8));
    }

    private static void refused(final String text, final Runnable call)
    {
        final IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, call::run);
        assertTrue(refusal.getMessage().contains(text), refusal.getMessage());
    }

    private static void fill(final Loopback loopback)
    {
        for (int i = 0; i < Loopback.LENGTH; i++)
        {
            loopback.near.putByte(i, (byte)(i * 31 + (i >>> 8)));
        }
    }

    /** Threes of rows: of each four, one follows on both sides, one here only, one there only, and one nowhere. */
    private static RowList rows()
    {
        final RowList rows = new RowList(ByteBuffer.allocateDirect(ROWS * RowList.STRIDE), ROWS);
        final int threes = ROWS / 3;
        for (int i = 0; i < ROWS; i++)
        {
            final int three = i / 3;
            final int srcStride = 0 == (three & 1) ? ROW : ROW + 8;
            final int dstStride = 0 == (three & 2) ? ROW : ROW + 40;
            final long src = three * 5L * ROW + i % 3 * srcStride;
            final long dst = three * 11 % threes * 4L * ROW + i % 3 * dstStride;
            rows.set(i, src, dst);
        }

        return rows;
    }

    private static int putRows(
        final Loopback loopback, final RowList rows, final int from, final int count, final int length)
    {
        rows.rowLength(length);
        return loopback.calls.putRows(loopback.endpoint, loopback.nearAddress(8), loopback.farAddress(16),
            BufferUtil.address(rows.memory()), from, count, rows.rowLength(), loopback.remoteKey,
            loopback.memoryHandle, UcpCalls.MEMORY_TYPE_HOST);
    }
}
