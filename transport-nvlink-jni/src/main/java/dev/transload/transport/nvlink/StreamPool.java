/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaException;

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
            lanes[i] = new StreamLane(device, options);
        }
    }

    StreamLane deal()
    {
        return lanes[Math.floorMod(next.getAndIncrement(), lanes.length)];
    }

    /** Wait until a lane has done what it was given up to a launch and a command: memory that it uses may go then. */
    void await(final StreamLane lane, final long launch, final long command)
    {
        giveUpUnlessDone(lane.stream().await(launch, timeoutNs));
        if (null != lane.proxy())
        {
            giveUpUnlessDone(lane.proxy().await(command));
        }
    }

    /** Wait for all that the streams have been given so far. */
    void drain()
    {
        for (final StreamLane lane : lanes)
        {
            await(lane, lane.stream().submitted(), null == lane.proxy() ? 0 : lane.proxy().posted());
        }
    }

    void close()
    {
        drain();
        for (final StreamLane lane : lanes)
        {
            try
            {
                if (null != lane.proxy())
                {
                    lane.proxy().close();
                }

                lane.stream().close();
            }
            catch (final CudaException ex)
            {
                LOG.warn("a stream was not closed in order: {}", ex.getMessage());
            }
        }
    }

    private void giveUpUnlessDone(final int error)
    {
        if (0 != error)
        {
            device.giveUp();
            LOG.warn("{}: work is given up: {}", device.describe(), CudaException.describe(-error));
        }
    }
}
