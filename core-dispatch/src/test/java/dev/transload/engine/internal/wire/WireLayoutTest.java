/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.WaitCounter;
import dev.transload.engine.World;
import dev.transload.engine.internal.world.Geometry;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Layouts of what ranks write into each other's memory: every word has a place of its own within its message. */
class WireLayoutTest
{
    private static final int CHANNELS = 2;

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
    void shouldKeepWordsOfCountsBetweenNodesApart()
    {
        final int nodeExperts = 20;
        final int bytes = CountsMessage.outBytes(geometry, nodeExperts);
        for (int word = 0; word < CallHeader.WORDS; word++)
        {
            place(word * Integer.BYTES, bytes);
        }

        for (int channel = 0; channel < CHANNELS; channel++)
        {
            place(CountsMessage.streamRows(geometry, channel), bytes);
            for (int local = 0; local < 4; local++)
            {
                place(CountsMessage.rankRows(geometry, channel, local), bytes);
            }
        }

        for (int expert = 0; expert < nodeExperts; expert++)
        {
            place(CountsMessage.expertRows(geometry, expert), bytes);
        }

        assertEquals(bytes, places.size() * Integer.BYTES);
        assertTrue(bytes <= CountsMessage.outStride(geometry));
    }

    @Test
    void shouldKeepWordsOfCountsWithinANodeApart()
    {
        final int localExperts = 5;
        final int sources = geometry.relays().counted(geometry.world().local()).length;
        final int bytes = CountsMessage.upBytes(geometry, sources, localExperts);
        for (int source = 0; source < sources; source++)
        {
            final int at = CountsMessage.source(geometry, localExperts, source);
            for (int channel = 0; channel < CHANNELS; channel++)
            {
                place(at + 2 * channel * Integer.BYTES, bytes);
                place(at + (2 * channel + 1) * Integer.BYTES, bytes);
            }

            for (int expert = 0; expert < localExperts; expert++)
            {
                place(at + CountsMessage.expertOfSource(geometry, expert), bytes);
            }
        }

        assertEquals(bytes, CallHeader.BYTES + places.size() * Integer.BYTES);
        assertTrue(bytes <= CountsMessage.upStride(geometry));
    }

    /** Even where a message has as many starts as any. */
    @Test
    void shouldReadBackWhatIsClearToSend()
    {
        final int starts = geometry.maxLocalExperts() * geometry.relays().mostSources();
        final long form = ClearToSend.form(1, true, 4096, 7, starts);
        final int at = (int)ClearToSend.stride(geometry);
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[3 * at]);
        buffer.setMemory(0, buffer.capacity(), (byte)0x5A);
        ClearToSend.header(buffer, at, 7, form, 3);
        for (int i = 0; i < starts; i++)
        {
            EncodedWord.put(buffer, at + ClearToSend.start(i), 100 + i);
        }

        final byte[][] descriptors = {new byte[1021], new byte[1024]};
        int end = ClearToSend.descriptors(starts);
        for (int tensor = 0; tensor < ClearToSend.TENSORS; tensor++)
        {
            Arrays.fill(descriptors[tensor], (byte)(tensor + 1));
            ClearToSend.tensor(buffer, at, tensor, 5 + tensor, 640 + tensor, descriptors[tensor].length);
            end = ClearToSend.append(buffer, at, end, descriptors[tensor]);
        }

        assertTrue(end <= at, "it fits, with the longest descriptors");
        assertEquals(7, ClearToSend.call(buffer, at));
        assertEquals(form, ClearToSend.form(buffer, at));
        assertEquals(starts, ClearToSend.starts(form));
        assertEquals(3, ClearToSend.oldest(buffer, at));
        for (int tensor = 0; tensor < ClearToSend.TENSORS; tensor++)
        {
            assertEquals(5 + tensor, ClearToSend.memory(buffer, at, tensor));
            assertEquals(640 + tensor, ClearToSend.offset(buffer, at, tensor));
            assertEquals(ByteBuffer.wrap(descriptors[tensor]), ClearToSend.descriptor(buffer, at, starts, tensor));
        }

        for (int i = 0; i < starts; i++)
        {
            assertEquals(100 + i, EncodedWord.get(buffer, at + ClearToSend.start(i)));
        }

        assertEquals((byte)0x5A, buffer.getByte(at - 1));
        assertEquals((byte)0x5A, buffer.getByte(at + end));
    }

    @Test
    void shouldTellFormsOfCallsApart()
    {
        final long form = ClearToSend.form(1, true, 4096, 7, 12);
        assertNotEquals(form, ClearToSend.form(2, true, 4096, 7, 12));
        assertNotEquals(form, ClearToSend.form(1, false, 4096, 7, 12));
        assertNotEquals(form, ClearToSend.form(1, true, 2048, 7, 12));
        assertNotEquals(form, ClearToSend.form(1, true, 4096, 6, 12));
        assertNotEquals(form, ClearToSend.form(1, true, 4096, 7, 11));
        assertEquals(form, ClearToSend.form(1, true, 4096, 7, 12));
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
        own.set(geometry, 0, 7, 0, 2048, 4, 0, 60, 0, 1, 0, 0);
        own.write(buffer, 0);
        assertNull(own.difference(buffer, 0));
        other.set(geometry, 0, 7, 2, 2048, 4, 0, 60, 0, 1, 0, 0);
        assertEquals("kind is combine here and dispatch there", other.difference(buffer, 0));
        other.set(geometry, 0, 7, 0, 1024, 4, 0, 60, 0, 1, 0, 0);
        assertEquals("hidden is 1024 here and 2048 there", other.difference(buffer, 0));
        other.set(geometry, 0, 7, 0, 2048, 4, 1, 60, 0, 1, 0, 0);
        assertEquals("dtype is fp8 here and bf16 there", other.difference(buffer, 0));
    }

    @Test
    void shouldPutStatusPagesIntoWords()
    {
        final UnsafeBuffer page = new UnsafeBuffer(new byte[StatusPage.BYTES]);
        assertEquals("rank 3 is in no call", StatusPage.describe(page, 3));
        StatusPage.write(page, 5, null);
        assertEquals("rank 3 is in call 5 and waits for no rank", StatusPage.describe(page, 3));
        final Wait wait = new Wait();
        wait.set(2, 1, WaitCounter.SCALE_OUT_TAIL, 96, 64);
        StatusPage.write(page, 5, wait);
        assertEquals("rank 3 is in call 5 and waits for rank 2, channel 1, scale-out.tail: expected 96, seen 64",
            StatusPage.describe(page, 3));
    }
}
