/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.DataType;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.spi.Access;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryRegion;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;

/** Worlds that are too large for an index are refused, and places beyond 2 GiB are right. */
class SlotsTest
{
    private static final int SCALES_OF_ROW = 2;

    @Test
    void shouldRefuseWhatAnIndexCannotTellApart()
    {
        new Slots(64, 4, 128, 64, 2, 1).requireCountable();
        refused(new Slots(1024, 16384, 128, 1024 * 128, 1, 1), "2147483648 rows of an output");
        // Two sets of 1024 writers, 64 channels each: 64 bytes, 8 for an expert, 16 for each of 16383 rows; aligned.
        refused(new Slots(1024, 16383, 128, 1024, 1, 64), 2L * 1024 * 64 * 262272 + " bytes of messages");
    }

    private static void refused(final Slots slots, final String part)
    {
        final String message =
            assertThrows(ConfigurationException.class, slots::requireCountable).getMessage();
        assertTrue(message.contains(part), message);
        assertTrue(message.contains("which is not allowed: must be at most 2147483647; lower "), message);
    }

    /** Memory that ends with the scales of the row, and would begin more than 4 GiB before. */
    @Test
    void shouldWriteScalesBeyondTwoGigabytes()
    {
        final int expertRows = 300_000_000;
        final int row = 5;
        final long offset = ((long)expertRows + row) * SCALES_OF_ROW * Float.BYTES;
        final ByteBuffer end = ByteBuffer.allocateDirect(64).order(ByteOrder.nativeOrder());
        final ByteBuffer scales = ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder());
        scales.putFloat(0, 1.5f).putFloat(4, 2.5f);
        final TensorMemory memory = memory(BufferUtil.address(end) - offset, offset + 64);
        final ScaleWriter writer = new ScaleWriter();
        writer.begin(new LowLatencyOutput(null, new Tensor(memory, 0, DataType.F32, expertRows, SCALES_OF_ROW),
            ScaleLayout.ROWS, null, null, null), 128 * SCALES_OF_ROW, expertRows);
        writer.write(BufferUtil.address(scales), 1, row);
        assertEquals(1.5f, end.getFloat(0));
        assertEquals(2.5f, end.getFloat(4));
    }

    private static TensorMemory memory(final long address, final long length)
    {
        final MemoryRegion region = (MemoryRegion)Proxy.newProxyInstance(
            MemoryRegion.class.getClassLoader(), new Class<?>[]{MemoryRegion.class}, (proxy, method, arguments) ->
            switch (method.getName())
            {
                case "address" -> address;
                case "length" -> length;
                case "access" -> Access.LOCAL;
                default -> throw new UnsupportedOperationException(method.getName());
            });
        return new TensorMemory(1, region, region, List.of(), false, null);
    }
}
