/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaException;
import dev.transload.transport.nvlink.cuda.CudaStream;

import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The streams of a transport, dealt to its channels in turn. */
final class StreamPool
{
    private static final Logger LOG = LoggerFactory.getLogger(StreamPool.class);

    private final CudaDevice device;
    private final long timeoutNs;
    private final StreamLane[] lanes;
    private final AtomicInteger next = new AtomicInteger();

    StreamPool(final CudaDevice device, final NvlinkOptions options)
    {
        this.device = device;
        this.timeoutNs = options.timeoutNs();
        this.lanes = new StreamLane[options.streams()];
        for (int i = 0; i < lanes.length; i++)
        {
            lanes[i] = new StreamLane(device, options.sms());
        }
    }

    StreamLane deal()
    {
        return lanes[Math.floorMod(next.getAndIncrement(), lanes.length)];
    }

    /** Wait until a stream has done what it was given up to a value: memory that it uses may go then. */
    void await(final CudaStream stream, final long value)
    {
        final int error = stream.await(value, timeoutNs);
        if (0 != error)
        {
            device.giveUp();
            LOG.warn("{}: work is given up: {}", device.describe(), CudaException.describe(-error));
        }
    }

    /** Wait for all that the streams have been given so far. */
    void drain()
    {
        for (final StreamLane lane : lanes)
        {
            await(lane.stream(), lane.stream().submitted());
        }
    }

    void close()
    {
        drain();
        for (final StreamLane lane : lanes)
        {
            try
            {
                lane.stream().close();
            }
            catch (final CudaException ex)
            {
                LOG.warn("a stream was not closed in order: {}", ex.getMessage());
            }
        }
    }
}
