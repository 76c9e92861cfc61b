/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.Channel;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;

/** The stepping transport with other channels, and with signals that are words of a region. */
abstract class ChangedTransport
{
    private final boolean freesSignalsAtOnce;

    ChangedTransport(final boolean freesSignalsAtOnce)
    {
        this.freesSignalsAtOnce = freesSignalsAtOnce;
    }

    /** What a worker has besides; its thread is the only one that uses it. */
    abstract static class Channels
    {
        /** In place of the given channel. */
        abstract Channel channel(Channel channel);

        /** Work of these channels, and how much it was. */
        int progress()
        {
            return 0;
        }
    }

    abstract Channels newWorker();

    final TransportProvider around(final TransportProvider stepping)
    {
        return new Interceptor()
        {
            @Override
            Object answer(final String method, final Object[] arguments)
            {
                return "open".equals(method) ? transport(stepping.open((TransportConfig)arguments[0])) : PASS;
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
                        return RegionSignals.allocate(transport, (int)arguments[0], freesSignalsAtOnce);

                    default:
                        return PASS;
                }
            }
        }.around(Transport.class, transport);
    }

    private Worker worker(final Worker worker)
    {
        final Channels channels = newWorker();
        return new Interceptor()
        {
            @Override
            Object answer(final String method, final Object[] arguments)
            {
                switch (method)
                {
                    case "connect":
                        return channels.channel(worker.connect(
                            (int)arguments[0], (long)arguments[1], (ByteBuffer)arguments[2]));

                    case "importSignals":
                        return new RegionSignals.Imported(
                            worker.importRegion((int)arguments[0], (ByteBuffer)arguments[1]));

                    case "progress":
                        return channels.progress() + worker.progress();

                    default:
                        return PASS;
                }
            }
        }.around(Worker.class, worker);
    }
}
