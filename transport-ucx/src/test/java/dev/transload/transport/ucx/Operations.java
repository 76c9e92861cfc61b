/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.Channel;
import dev.transload.spi.Worker;
import java.util.function.LongSupplier;

/**
 * Operations of one channel that wait for room, and fail the test where they are refused.
 *
 * @param worker  to drive meanwhile.
 * @param channel of the worker.
 */
record Operations(Worker worker, Channel channel)
{
    /** Wait until the channel accepts operations. */
    static Operations connect(final Worker worker, final Channel channel)
    {
        Await.until(() -> worker.progress() >= 0 && (channel.isConnected() || null != channel.failure()));
        if (null != channel.failure())
        {
            throw channel.failure();
        }

        return new Operations(worker, channel);
    }

    /** Position of an operation, tried until it is accepted. */
    long accept(final LongSupplier operation)
    {
        long result = operation.getAsLong();
        if (Channel.BACK_PRESSURED == result)
        {
            final long[] last = new long[1];
            Await.until(() ->
            {
                worker.progress();
                last[0] = operation.getAsLong();
                return Channel.BACK_PRESSURED != last[0];
            });
            result = last[0];
        }

        if (result < 0)
        {
            throw new IllegalStateException("status " + result, channel.failure());
        }

        return result;
    }

    /** Wait until everything is delivered. */
    void flush()
    {
        final long position = accept(channel::flush);
        Await.until(() -> worker.progress() >= 0 && channel.deliveredPosition() >= position);
    }
}
