/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.World;
import dev.transload.engine.internal.world.Geometry;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Columns of a block lie one behind the other, within the room that a block has. */
class MetadataBlockTest
{
    private static final int HEADER_BYTES = 64;
    private static final long CALL = 1L << 40;

    private static Geometry geometry(final int locals, final int experts, final int topk)
    {
        return new Geometry(new World(2, locals, 0), EngineConfig.from(ConfigFactory.parseString(
            "transload { nodes = 2, ranks-per-node = " + locals + ", channels = 1, max-hidden = 64, max-topk = " +
            topk + ", max-experts = " + experts + " }")));
    }

    private static UnsafeBuffer memory(final long bytes)
    {
        return new UnsafeBuffer(BufferUtil.allocateDirectAligned(Math.toIntExact(bytes), Long.BYTES));
    }

    /** Of a block with as many rows, prefixes and selections as any, and of smaller ones. */
    @ParameterizedTest
    @CsvSource({"2, 12, 4, 512, 12, 4, true", "3, 7, 1, 1, 1, 1, true", "3, 6, 3, 511, 3, 3, false",
        "66, 132, 5, 128, 132, 5, true", "66, 132, 5, 33, 66, 3, false", "1, 2, 8, 7, 1, 5, true"})
    void shouldKeepColumnsApart(
        final int locals, final int experts, final int mostTopk, final int rows, final int prefixes, final int topk,
        final boolean isWeighted)
    {
        final Geometry geometry = geometry(locals, experts, mostTopk);
        assertTrue(rows <= geometry.blockRows());
        final UnsafeBuffer memory = memory(MetadataBlock.stride(geometry));
        final MetadataBlock block = new MetadataBlock(geometry.maskWords());
        final long at = memory.addressOffset();
        block.begin(at, CALL, 0, rows, rows, prefixes, topk, isWeighted);
        final BitSet taken = new BitSet();
        take(taken, 0, HEADER_BYTES / 2);
        take(taken, HEADER_BYTES, prefixes * Integer.BYTES);
        take(taken, block.masks() - at, rows * geometry.maskWords() * Long.BYTES);
        take(taken, block.tokens() - at, rows * Integer.BYTES);
        take(taken, block.experts() - at, rows * topk * Integer.BYTES);
        if (isWeighted)
        {
            take(taken, block.weights() - at, rows * topk * Float.BYTES);
        }

        assertEquals(0, block.masks() % Long.BYTES);
        assertEquals(0, block.experts() % Long.BYTES, "selections are copied two at a time");
        assertEquals(0, block.weights() % Long.BYTES);
        assertTrue(taken.length() <= block.bytes());
        assertTrue(block.bytes() < taken.length() + Long.BYTES, "no more travels");
        assertTrue(block.bytes() <= MetadataBlock.stride(geometry));
    }

    private static void take(final BitSet taken, final long offset, final int bytes)
    {
        final int from = Math.toIntExact(offset);
        assertTrue(taken.nextSetBit(from) < 0, () -> "column at " + from + " overlaps another");
        taken.set(from, from + bytes);
    }

    @Test
    void shouldSayWhatItIsOf()
    {
        final UnsafeBuffer memory = memory(1 << 16);
        final MetadataBlock written = new MetadataBlock(2);
        final MetadataBlock read = new MetadataBlock(2);
        written.begin(memory.addressOffset(), CALL, 1024, 17, 1041, 6, 3, true);
        for (int i = 0; i < 6; i++)
        {
            written.prefix(i, 0 == i ? 0 : Integer.MAX_VALUE - i);
        }

        read.open(memory.addressOffset(), CALL, 1024);
        assertEquals(17, read.rows());
        assertEquals(1024, read.first());
        assertEquals(3, read.topk());
        assertTrue(read.isWeighted());
        assertEquals(written.bytes(), read.bytes());
        assertEquals(written.weights(), read.weights());
        for (int i = 0; i < 6; i++)
        {
            assertEquals(0 == i ? 0 : Integer.MAX_VALUE - i, read.prefix(i));
        }

        assertEquals(-1, memory.getInt(HEADER_BYTES), "0 travels as -1");
        written.begin(memory.addressOffset(), CALL, 0, 17, 17, 6, 3, false);
        read.open(memory.addressOffset(), CALL, 0);
        assertFalse(read.isWeighted());
        assertEquals(read.weights(), memory.addressOffset() + read.bytes(), "no weights travel");
    }

    @Test
    void shouldRefuseABlockOfAnotherCallOrRow()
    {
        final ByteBuffer buffer = BufferUtil.allocateDirectAligned(4096, Long.BYTES);
        final long at = BufferUtil.address(buffer);
        final MetadataBlock block = new MetadataBlock(1);
        assertRefused(block, at, CALL, 0, "was not written though its signal came");
        block.begin(at, CALL, 512, 3, 515, 2, 2, false);
        assertRefused(block, at, CALL + 1, 512, "the metadata block of call " + (CALL + 1) + " from row 512");
        assertRefused(block, at, CALL, 0, "from row 0 on was not written though its signal came");
        block.open(at, CALL, 512);
    }

    private static void assertRefused(
        final MetadataBlock block, final long at, final long call, final int row, final String part)
    {
        final String message =
            assertThrows(IllegalStateException.class, () -> block.open(at, call, row)).getMessage();
        assertTrue(message.contains(part) && message.contains("rule ORD-2"), message);
    }

    @Test
    void shouldRefuseAPrefixThatWasNotWritten()
    {
        final ByteBuffer buffer = BufferUtil.allocateDirectAligned(4096, Long.BYTES);
        final MetadataBlock block = new MetadataBlock(1);
        block.begin(BufferUtil.address(buffer), CALL, 0, 3, 3, 2, 2, false);
        block.prefix(0, 5);
        assertEquals(5, block.prefix(0));
        assertThrows(IllegalStateException.class, () -> block.prefix(1), "0 was never written");
        block.prefix(2, 9);
        assertThrows(IllegalStateException.class, () -> block.prefix(2), "the block has two of them");
    }
}
