/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.TransportProvider;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The stepping transport, but adds and loads are done by the calling thread as it submits them, through windows. So a
 * broken one is right whenever a single thread drives the test. It keeps those rules that it is made for: it does not
 * count the operations that it does itself.
 */
final class DirectTransport extends ChangedTransport
{
    private static final VarHandle WORD =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final Break broken;

    /** What it does wrong. */
    enum Break
    {
        /** Nothing. */
        NOTHING,
        /** Gets and puts where it ought to add, and lets others come in between. */
        ADD_IN_TWO_STEPS,
        /** Copies words in two halves, byte by byte, and lets others come in between. */
        LOAD_BY_BYTES,
        /** Gives memory of signals away while they are read. */
        SIGNALS_FREED_AT_ONCE
    }

    private DirectTransport(final Break broken)
    {
        super(Break.SIGNALS_FREED_AT_ONCE == broken);
        this.broken = broken;
    }

    static TransportProvider provider(final TransportProvider stepping, final Break broken)
    {
        return new DirectTransport(broken).around(stepping);
    }

    @Override
    Channels newWorker()
    {
        return new Channels()
        {
            @Override
            Channel channel(final Channel channel)
            {
                return direct(channel);
            }
        };
    }

    private Channel direct(final Channel channel)
    {
        return new Interceptor()
        {
            @Override
            Object answer(final String method, final Object[] arguments)
            {
                switch (method)
                {
                    case "atomicAdd":
                        add(RegionSignals.wordsOf(arguments[0]),
                            RegionSignals.offsetOf(arguments[0], arguments[1]), (long)arguments[2]);
                        return channel.position();

                    case "load":
                        final int length = (int)(long)arguments[4];
                        load(((RemoteRegion)arguments[0]).window().hostView((long)arguments[1], length),
                            ((MemoryRegion)arguments[2]).hostView((long)arguments[3], length));
                        return channel.position();

                    default:
                        return PASS;
                }
            }
        }.around(Channel.class, channel);
    }

    private void add(final RemoteRegion dst, final long offset, final long delta)
    {
        if (Break.ADD_IN_TWO_STEPS != broken)
        {
            RegionSignals.add(dst, offset, delta);
            return;
        }

        final ByteBuffer word = dst.window().hostView(offset, Long.BYTES);
        final long before = (long)WORD.getVolatile(word, 0);
        RegionSignals.letOthersChange(word, 0, before);
        WORD.setVolatile(word, 0, before + delta);
    }

    private void load(final ByteBuffer src, final ByteBuffer dst)
    {
        for (int word = 0; word < dst.capacity(); word += Long.BYTES)
        {
            final long before = (long)WORD.getVolatile(src, word);
            if (Break.LOAD_BY_BYTES != broken)
            {
                WORD.setVolatile(dst, word, before);
                continue;
            }

            for (int i = 0; i < Long.BYTES; i++)
            {
                if (Integer.BYTES == i)
                {
                    RegionSignals.letOthersChange(src, word, before);
                }

                dst.put(word + i, src.get(word + i));
            }
        }
    }
}
