/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.RowList;
import dev.transload.transport.nvlink.cuda.CudaStream;
import dev.transload.transport.nvlink.cuda.StallWatch;
import dev.transload.transport.nvlink.internal.kernels.PinnedLists;

/**
 * What a channel has given to its device, and what of that is done. Launches are in order among themselves, so that
 * none has to be held back behind a fence. Operations return a positive number, {@link #NO_ROOM}, or the negated error.
 * One thread's.
 */
final class DeviceWork
{
    /** Nothing was begun; there will be room. */
    static final long NO_ROOM = 0;

    private final StreamLane lane;
    private final StallWatch launchWatch;
    private RowList knownRows;
    private long launched;

    DeviceWork(final StreamLane lane, final long timeoutNs)
    {
        this.lane = lane;
        this.launchWatch = new StallWatch(lane.stream(), timeoutNs);
    }

    StreamLane lane()
    {
        return lane;
    }

    /** The last launch. */
    long launched()
    {
        return launched;
    }

    /** Launch up to which all are complete, of the whole lane. */
    long completedLaunch()
    {
        return lane.completed();
    }

    boolean isDone()
    {
        return completedLaunch() >= launched;
    }

    long copy(final long source, final long target, final long length, final boolean isAcrossBus)
    {
        return lane.tryEnter() ? submitted(lane.copy(source, target, length, isAcrossBus)) : NO_ROOM;
    }

    /** A list must be where the device can read it. */
    void checkRows(final RowList rows)
    {
        if (rows != knownRows)
        {
            PinnedLists.addressOf("rows", rows);
            knownRows = rows;
        }
    }

    long copyRows(final long source, final long target, final RowList rows, final int from, final int count)
    {
        return lane.tryEnter() ? submitted(lane.copyRows(source, target, rows, from, count)) : NO_ROOM;
    }

    long add(final long word, final long delta)
    {
        return lane.tryEnter() ? submitted(lane.add(word, delta)) : NO_ROOM;
    }

    /** What is given from here on is behind all that another stream of the device was given. */
    long startBehind(final CudaStream stream)
    {
        if (!lane.tryEnter())
        {
            return NO_ROOM;
        }

        final int error = lane.stream().waitFor(stream);
        return submitted(0 == error ? lane.stream().mark() : error);
    }

    /**
     * While nothing gets done.
     *
     * @return 0, or the CUDA error by which the work ended.
     */
    int look()
    {
        final long launch = completedLaunch();
        return launch < launched ? launchWatch.look(launch) : 0;
    }

    private long submitted(final long value)
    {
        lane.exit();
        launched = value < 0 ? launched : value;
        return value;
    }
}
