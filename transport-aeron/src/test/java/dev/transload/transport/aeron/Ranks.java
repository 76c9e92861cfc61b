/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.Worker;
import dev.transload.transport.base.PeerIdentity;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/** What tests do with ranks again and again. */
final class Ranks
{
    private Ranks()
    {
    }

    /** Where Aeron reaches the rank that gave this peer info. */
    static AeronContact contact(final ByteBuffer peerInfo)
    {
        return AeronContact.of(PeerIdentity.decode(AeronOptions.TRANSPORT, "test", peerInfo));
    }

    /**
     * Operations that wait for room.
     *
     * @param worker  to progress.
     * @param channel to operate on.
     */
    record Operations(Worker worker, Channel channel)
    {
        long accept(final LongSupplier operation)
        {
            final long[] result = new long[1];
            Await.until(() ->
            {
                result[0] = operation.getAsLong();
                worker.progress();
                return result[0] != Channel.BACK_PRESSURED && result[0] != Channel.NOT_CONNECTED;
            });
            if (result[0] < 0)
            {
                throw new IllegalStateException("status " + result[0], channel.failure());
            }

            return result[0];
        }

        void connect()
        {
            Await.until(() -> worker.progress() >= 0 && (channel.isConnected() || null != channel.failure()));
            if (null != channel.failure())
            {
                throw channel.failure();
            }
        }

        void flush()
        {
            final long position = accept(channel::flush);
            Await.until(() ->
            {
                worker.progress();
                return channel.deliveredPosition() >= position;
            });
        }

        void putFenceAdd(
            final MemoryRegion src, final RemoteRegion dst, final RemoteSignals signals, final int index)
        {
            accept(() -> channel.put(src, 0, dst, 0, src.length()));
            accept(channel::fence);
            accept(() -> channel.atomicAdd(signals, index, 1));
            flush();
        }
    }
}
