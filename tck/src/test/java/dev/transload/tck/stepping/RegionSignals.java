/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Signals that are words of a region.
 *
 * @param words  one for each signal.
 * @param count  of signals.
 * @param open   false once they are closed.
 * @param broken whether others may have the memory while these signals are read.
 */
record RegionSignals(MemoryRegion words, int count, AtomicBoolean open, boolean broken) implements SignalRegion
{
    private static final VarHandle WORD =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int LOOKS = 200;

    /** Import of such signals. */
    record Imported(RemoteRegion words) implements RemoteSignals
    {
        @Override
        public int peer()
        {
            return words.peer();
        }

        @Override
        public int count()
        {
            return (int)(words.length() / Long.BYTES);
        }

        @Override
        public void close()
        {
            words.close();
        }
    }

    /** The memory that an add goes to: of signals, or itself. */
    static RemoteRegion wordsOf(final Object target)
    {
        return target instanceof final Imported signals ? signals.words : (RemoteRegion)target;
    }

    /** Where in it, by index of a signal or by offset. */
    static long offsetOf(final Object target, final Object place)
    {
        return target instanceof Imported ? (long)Long.BYTES * (int)place : (long)place;
    }

    /** By the thread that calls, at once. */
    static void add(final RemoteRegion words, final long offset, final long delta)
    {
        WORD.getAndAdd(words.window().hostView(offset, Long.BYTES), 0, delta);
    }

    static RegionSignals allocate(final Transport transport, final int count, final boolean broken)
    {
        return new RegionSignals(
            transport.allocate(MemoryKind.HOST, 0, (long)count * Long.BYTES, Access.REMOTE), count,
            new AtomicBoolean(true), broken);
    }

    @Override
    public long getAcquire(final int index)
    {
        final ByteBuffer word = words.hostView((long)index * Long.BYTES, Long.BYTES);
        if (!open.get())
        {
            throw new IllegalStateException("the signals are closed");
        }

        if (broken)
        {
            letOthersChange(word, 0, (long)WORD.getVolatile(word, 0));
        }

        return (long)WORD.getAcquire(word, 0);
    }

    @Override
    public ByteBuffer descriptor()
    {
        return words.descriptor();
    }

    @Override
    public void close()
    {
        if (open.getAndSet(false))
        {
            if (broken)
            {
                // As whoever has the memory next finds it.
                words.hostView(0, (int)words.length()).put(new byte[(int)words.length()]);
            }

            words.close();
        }
    }

    /** Makes the moment long in which somebody else's store does harm, so that it is hit within a few operations. */
    static void letOthersChange(final ByteBuffer words, final int at, final long before)
    {
        for (int look = 0; look < LOOKS && before == (long)WORD.getVolatile(words, at); look++)
        {
            Thread.yield();
        }
    }
}
