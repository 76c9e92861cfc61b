/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.RowList;
import dev.transload.transport.nvlink.cuda.CudaStream;
import dev.transload.transport.nvlink.cuda.StallWatch;
import dev.transload.transport.nvlink.kernels.PinnedLists;

/**
 * What a channel has given to its device, as launches and as commands of the lane's proxy, and what of that is done.
 * Launches are in order among themselves, and so are commands where one says so; what is behind a fence is refused
 * while the other way has not done what is before it. Operations return a positive number, {@link #NO_ROOM}, or the
 * negated error. One thread's.
 */
final class DeviceWork
{
    /** Nothing was begun; there will be room. */
    static final long NO_ROOM = 0;

    private final StreamLane lane;
    private final Proxy proxy;
    private final StallWatch launchWatch;
    private final StallWatch commandWatch;
    private RowList knownRows;
    private long launched;
    private long commanded;
    private long fencedLaunch;
    private long fencedCommand;

    DeviceWork(final StreamLane lane, final long timeoutNs)
    {
        this.lane = lane;
        this.proxy = lane.proxy();
        this.launchWatch = new StallWatch(lane.stream(), timeoutNs);
        this.commandWatch = null == proxy ? null : new StallWatch(proxy.stream(), timeoutNs);
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

    /** The last command, 0 where there is no proxy. */
    long commanded()
    {
        return commanded;
    }

    /** Launch up to which all are complete, of the whole lane. */
    long completedLaunch()
    {
        return lane.completed();
    }

    /** Command up to which all are complete, of the whole lane. */
    long completedCommand()
    {
        return null == proxy ? 0 : proxy.completed();
    }

    boolean isDone()
    {
        return completedLaunch() >= launched && completedCommand() >= commanded;
    }

    /** What is given from here on is behind all that was given. */
    void fence()
    {
        fencedLaunch = launched;
        fencedCommand = commanded;
    }

    long copy(final long source, final long target, final long length, final boolean isAcrossBus)
    {
        if (isForProxy(length))
        {
            return proxy.tryEnter() ? posted(proxy.copy(fencedCommand, source, target, length)) : NO_ROOM;
        }

        return enterLane() ? submitted(lane.copy(source, target, length, isAcrossBus)) : NO_ROOM;
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
        if (isForProxy((long)count * rows.rowLength()))
        {
            return proxy.tryEnter() ?
                posted(proxy.copyRows(fencedCommand, source, target, rows, from, count)) : NO_ROOM;
        }

        return enterLane() ? submitted(lane.copyRows(source, target, rows, from, count)) : NO_ROOM;
    }

    long add(final long word, final long delta)
    {
        if (isForProxy(Long.BYTES))
        {
            return proxy.tryEnter() ? posted(proxy.add(fencedCommand, word, delta)) : NO_ROOM;
        }

        return enterLane() ? submitted(lane.add(word, delta)) : NO_ROOM;
    }

    /** What is given from here on is behind all that another stream of the device was given. */
    long startBehind(final CudaStream stream)
    {
        if (!enterLane())
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
        final int error = launch < launched ? launchWatch.look(launch) : 0;
        final long command = completedCommand();
        if (0 != error || command >= commanded)
        {
            return error;
        }

        final int refused = -proxy.tend();
        return 0 != refused ? refused : commandWatch.look(command);
    }

    /** A launch goes by itself behind kernels that the lane waits for, which a command would have to be refused for. */
    private boolean isForProxy(final long bytes)
    {
        return null != proxy && proxy.takes(bytes) && lane.completed() >= fencedLaunch;
    }

    private boolean enterLane()
    {
        return completedCommand() >= fencedCommand && lane.tryEnter();
    }

    private long submitted(final long value)
    {
        lane.exit();
        launched = value < 0 ? launched : value;
        return value;
    }

    private long posted(final long value)
    {
        proxy.exit();
        commanded = value < 0 ? commanded : value;
        return value;
    }
}
