/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.Worker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The stepping transport, but adds and loads are done by the calling thread as it submits them, through windows. So a
 * broken one is right whenever a single thread drives the test. It keeps those rules that it is made for: it does not
 * count the operations that it does itself.
 */
final class DirectTransport
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
        this.broken = broken;
    }

    static TransportProvider provider(final TransportProvider stepping, final Break broken)
    {
        final DirectTransport direct = new DirectTransport(broken);
        return new Interceptor()
        {
            @Override
            Object answer(final String method, final Object[] arguments)
            {
                return "open".equals(method) ?
                    direct.transport(stepping.open((TransportConfig)arguments[0])) : PASS;
            }
        }.around(TransportProvider.class, stepping);
    }

    private Transport transport(final Transport transport)
    {
        return new Interceptor()
        {
            @Override
            Object answer(final String method, final Object[] arguments)
            {
                switch (method)
                {
                    case "openWorker":
                        return worker(transport.openWorker((int)arguments[0]));

                    case "allocateSignals":
                        return RegionSignals.allocate(
                            transport, (int)arguments[0], Break.SIGNALS_FREED_AT_ONCE == broken);

                    default:
                        return PASS;
                }
            }
        }.around(Transport.class, transport);
    }

    private Worker worker(final Worker worker)
    {
        return new Interceptor()
        {
            @Override
            Object answer(final String method, final Object[] arguments)
            {
                switch (method)
                {
                    case "connect":
                        return channel(worker.connect(
                            (int)arguments[0], (long)arguments[1], (ByteBuffer)arguments[2]));

                    case "importSignals":
                        return new RegionSignals.Imported(
                            worker.importRegion((int)arguments[0], (ByteBuffer)arguments[1]));

                    default:
                        return PASS;
                }
            }
        }.around(Worker.class, worker);
    }

    private Channel channel(final Channel channel)
    {
        return new Interceptor()
        {
            @Override
            Object answer(final String method, final Object[] arguments)
            {
                switch (method)
                {
                    case "atomicAdd":
                        if (arguments[0] instanceof final RegionSignals.Imported signals)
                        {
                            add(signals.words(), (long)Long.BYTES * (int)arguments[1], (long)arguments[2]);
                        }
                        else
                        {
                            add((RemoteRegion)arguments[0], (long)arguments[1], (long)arguments[2]);
                        }

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
        final ByteBuffer word = dst.window().hostView(offset, Long.BYTES);
        if (Break.ADD_IN_TWO_STEPS != broken)
        {
            WORD.getAndAdd(word, 0, delta);
            return;
        }

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
