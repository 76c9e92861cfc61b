/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaException;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams of a transport, each opened when the first channel takes it. A channel gets the stream with the fewest
 * channels: one of its own while there are any, so that its work waits for nobody else's, and no other thread keeps it
 * from submitting.
 */
final class StreamPool
{
    private static final Logger LOG = LoggerFactory.getLogger(StreamPool.class);

    private final CudaDevice device;
    private final NvlinkOptions options;
    private final StreamLane[] lanes;
    private final int[] channels;

    StreamPool(final CudaDevice device, final NvlinkOptions options)
    {
        this.device = device;
        this.options = options;
        this.lanes = new StreamLane[options.streams()];
        this.channels = new int[lanes.length];
    }

    /** For a channel of a worker, until it is given back. From any thread. */
    synchronized StreamLane take(final int worker)
    {
        final int first = first(worker);
        int best = first;
        for (int i = 1; i < lanes.length; i++)
        {
            final int next = (first + i) % lanes.length;
            best = channels[next] < channels[best] ? next : best;
        }

        if (null == lanes[best])
        {
            lanes[best] = Devices.open(() -> new StreamLane(device, options));
        }

        channels[best]++;
        return lanes[best];
    }

    /** A channel needs its stream no more, which stays open for the next one. From any thread. */
    synchronized void giveBack(final StreamLane lane)
    {
        int index = 0;
        while (lane != lanes[index])
        {
            index++;
        }

        channels[index]--;
    }

    /**
     * Where a worker begins to look. Workers lie apart as widely as they can (0, 1/2, 1/4, 3/4, 1/8 ... of the pool):
     * once channels have to share, most do so with those of their own thread.
     */
    private int first(final int worker)
    {
        return (int)(Integer.toUnsignedLong(Integer.reverse(worker)) * lanes.length >>> Integer.SIZE);
    }

    /** Wait until a lane has done what it was given up to a launch: memory that it uses may go then. */
    void await(final StreamLane lane, final long launch)
    {
        final int error = lane.stream().await(launch, options.timeoutNs());
        if (0 != error)
        {
            device.giveUp();
            LOG.warn("{}: work is given up: {}", device.describe(), CudaException.describe(-error));
        }
    }

    /** Wait for all that the streams have been given so far. */
    void drain()
    {
        for (final StreamLane lane : opened())
        {
            await(lane, lane.stream().submitted());
        }
    }

    void close()
    {
        drain();
        for (final StreamLane lane : opened())
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

    private synchronized List<StreamLane> opened()
    {
        final List<StreamLane> opened = new ArrayList<>();
        for (final StreamLane lane : lanes)
        {
            if (null != lane)
            {
                opened.add(lane);
            }
        }

        return opened;
    }
}
