/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.WaitCounter;
import dev.transload.engine.World;
import dev.transload.engine.world.Geometry;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Layouts of what ranks write into each other's memory: every word has a place of its own within its message. */
class WireLayoutTest
{
    private final Geometry geometry = new Geometry(new World(3, 4, 5), EngineConfig.from(ConfigFactory.parseString(
        "transload { nodes = 3, ranks-per-node = 4, channels = 2, max-topk = 6, max-experts = 60 }")));
    private final Set<Integer> places = new HashSet<>();

    private void place(final int offset, final int bytes)
    {
        assertTrue(offset >= 0 && offset + Integer.BYTES <= bytes, () -> offset + " is not within " + bytes);
        assertEquals(0, offset % Integer.BYTES);
        assertTrue(places.add(offset), () -> "two words at " + offset);
    }

    @Test
    void shouldKeepWordsOfNotifyMessagesBetweenNodesApart()
    {
        final int perNode = 20;
        final int bytes = CountsMessage.outBytes(geometry, perNode);
        for (int word = 0; word < CallHeader.WORDS; word++)
        {
            place(word * Integer.BYTES, bytes);
        }

        for (int local = 0; local < 4; local++)
        {
            place(CountsMessage.rankCount(local), bytes);
        }

        for (int expert = 0; expert < perNode; expert++)
        {
            place(CountsMessage.expertCount(geometry, expert), bytes);
        }

        place(CountsMessage.nodeCount(geometry, perNode), bytes);
        assertEquals(bytes, places.size() * Integer.BYTES);
        assertTrue(bytes <= CountsMessage.outStride(geometry));
    }

    @Test
    void shouldKeepWordsOfNotifyMessagesWithinANodeApart()
    {
        final int localExperts = 5;
        final int bytes = CountsMessage.upBytes(geometry, localExperts);
        for (int node = 0; node < 3; node++)
        {
            place(CountsMessage.rankCountUp(node), bytes);
            for (int expert = 0; expert < localExperts; expert++)
            {
                place(CountsMessage.expertCountUp(geometry, localExperts, node, expert), bytes);
            }
        }

        assertEquals(bytes, CallHeader.BYTES + places.size() * Integer.BYTES);
        assertTrue(bytes <= CountsMessage.upStride(geometry));
    }

    @Test
    void shouldKeepWordsOfLaneMetasApart()
    {
        final int perNode = 20;
        final int bytes = LaneMeta.outBytes(geometry, perNode);
        for (int local = 0; local < 4; local++)
        {
            place(LaneMeta.rankStart(local), bytes);
            place(LaneMeta.rankEnd(geometry, local), bytes);
        }

        place(LaneMeta.nodeStart(geometry), bytes);
        place(LaneMeta.nodeEnd(geometry), bytes);
        place(LaneMeta.experts(geometry), bytes);
        for (int expert = 0; expert < perNode; expert++)
        {
            place(LaneMeta.expertStart(geometry, expert), bytes);
        }

        assertEquals(bytes, places.size() * Integer.BYTES);
        assertTrue(bytes <= LaneMeta.outStride(geometry));

        places.clear();
        final int upBytes = LaneMeta.upBytes(5);
        place(LaneMeta.UP_START, upBytes);
        place(LaneMeta.UP_END, upBytes);
        place(LaneMeta.UP_PATH, upBytes);
        place(LaneMeta.UP_ENTRIES, upBytes);
        for (int expert = 0; expert < 5; expert++)
        {
            place(LaneMeta.expertStartUp(expert), upBytes);
        }

        assertEquals(upBytes, places.size() * Integer.BYTES);
        assertTrue(upBytes <= LaneMeta.upStride(geometry));
    }

    @Test
    void shouldReadBackRowMetas()
    {
        final int maskWords = 2;
        final int topk = 5;
        final int stride = (int)RowMeta.stride(maskWords, topk);
        final RowMeta layout = new RowMeta(maskWords, topk);
        final ByteBuffer memory = ByteBuffer.allocateDirect(3 * stride);
        final UnsafeBuffer buffer = new UnsafeBuffer(memory);
        for (int row = 0; row < 3; row++)
        {
            final long address = BufferUtil.address(memory) + (long)row * stride;
            layout.source(address, 100 + row, 1_000_000 + row);
            layout.mask(address, 0, -1L - row);
            layout.mask(address, 1, 1L << row);
            for (int k = 0; k < topk; k++)
            {
                buffer.putInt(row * stride + layout.topkOffset() + k * Integer.BYTES, 0 == k ? -1 : row * 10 + k);
                buffer.putFloat(row * stride + layout.weightsOffset() + k * Float.BYTES, row + k / 8f);
            }
        }

        for (int row = 0; row < 3; row++)
        {
            assertEquals(100 + row, layout.sourceRank(buffer, row * stride));
            assertEquals(1_000_000 + row, layout.sourceToken(buffer, row * stride));
            assertEquals(-1L - row, layout.mask(buffer, row * stride, 0));
            assertEquals(1L << row, layout.mask(buffer, row * stride, 1));
            for (int k = 0; k < topk; k++)
            {
                assertEquals(0 == k ? -1 : row * 10 + k, layout.expert(buffer, row * stride, k));
                assertEquals(row + k / 8f, layout.weight(buffer, row * stride, k));
            }
        }
    }

    @Test
    void shouldTellAnUnwrittenWordFromZero()
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[8]);
        EncodedWord.put(buffer, 0, 0);
        EncodedWord.put(buffer, 4, Integer.MAX_VALUE);
        assertEquals(-1, buffer.getInt(0));
        assertEquals(0, EncodedWord.get(buffer, 0));
        assertEquals(Integer.MAX_VALUE, EncodedWord.get(buffer, 4));
        EncodedWord.clear(buffer, 0, 8);
        assertThrows(IllegalStateException.class, () -> EncodedWord.get(buffer, 0));
    }

    @Test
    void shouldSayWhatDiffersBetweenHeaders()
    {
        final CallHeader own = new CallHeader();
        final CallHeader other = new CallHeader();
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[CallHeader.BYTES]);
        own.set(geometry, 7, 0, 2048, 4, 0, 60, 0, 1, 0, 0);
        own.write(buffer, 0);
        assertNull(own.difference(buffer, 0));
        other.set(geometry, 7, 2, 2048, 4, 0, 60, 0, 1, 0, 0);
        assertEquals("kind is combine here and dispatch there", other.difference(buffer, 0));
        other.set(geometry, 7, 0, 1024, 4, 0, 60, 0, 1, 0, 0);
        assertEquals("hidden is 1024 here and 2048 there", other.difference(buffer, 0));
        other.set(geometry, 7, 0, 2048, 4, 1, 60, 0, 1, 0, 0);
        assertEquals("dtype is fp8 here and bf16 there", other.difference(buffer, 0));
    }

    @Test
    void shouldPutStatusPagesIntoWords()
    {
        final UnsafeBuffer page = new UnsafeBuffer(new byte[StatusPage.BYTES]);
        assertEquals("rank 3 is in no call", StatusPage.describe(page, 3));
        StatusPage.write(page, 5, null);
        assertEquals("rank 3 is in call 5 and awaits nobody", StatusPage.describe(page, 3));
        final Wait wait = new Wait();
        wait.set(2, 1, WaitCounter.SCALE_OUT_TAIL, 96, 64);
        StatusPage.write(page, 5, wait);
        assertEquals("rank 3 is in call 5 and awaits rank 2, channel 1, scale-out.tail: expected 96, seen 64",
            StatusPage.describe(page, 3));
    }
}
