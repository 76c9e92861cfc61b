/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.mmap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.TransportException;
import dev.transload.spi.TransportUnavailableException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the guide says of memory with a key. */
@Timeout(60)
class KeyedMemoryTest implements KeyedMemory.Library
{
    private static final int LENGTH = 4096;

    private final AtomicInteger freed = new AtomicInteger();
    private boolean exports = true;

    @Override
    public long allocate(final long length)
    {
        final long address = UnsafeApi.allocateMemory(length);
        UnsafeApi.setMemory(address, length, (byte)0);
        return address;
    }

    @Override
    public byte[] export(final long address, final long length)
    {
        if (!exports)
        {
            throw new TransportException("status 12", 12, null);
        }

        return new byte[] {1, 2, 3};
    }

    @Override
    public void free(final long address)
    {
        UnsafeApi.freeMemory(address);
        freed.incrementAndGet();
    }

    @Test
    void shouldTellItsKeyAndShowItsBytes()
    {
        final KeyedMemory memory = KeyedMemory.allocate(this, LENGTH);
        assertEquals(ByteBuffer.wrap(new byte[] {1, 2, 3}), memory.key());
        assertTrue(memory.key().isReadOnly());
        memory.view(8, 8).putLong(0, 7L);
        assertEquals(7L, UnsafeApi.getLong(null, memory.address() + 8));
        memory.free();
        assertEquals(1, freed.get());
        memory.free();
        assertEquals(1, freed.get());
    }

    @Test
    void shouldFreeWhatIsAbandonedOnceNobodyRefersToIt() throws InterruptedException
    {
        KeyedMemory memory = KeyedMemory.allocate(this, LENGTH);
        memory.abandon();
        System.gc();
        TimeUnit.MILLISECONDS.sleep(50);
        assertEquals(0, freed.get());
        assertEquals(0L, memory.view(0, 8).getLong(0));
        Reference.reachabilityFence(memory);
        memory = null;
        while (0 == freed.get())
        {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(10);
        }

        assertEquals(1, freed.get());
    }

    @Test
    void shouldGiveBackWhatCannotBeExported()
    {
        exports = false;
        final TransportUnavailableException refused =
            assertThrows(TransportUnavailableException.class, () -> KeyedMemory.allocate(this, LENGTH));
        assertTrue(refused.getMessage().contains("4096 bytes cannot be exported"), refused.getMessage());
        assertEquals(1, freed.get());
    }
}
