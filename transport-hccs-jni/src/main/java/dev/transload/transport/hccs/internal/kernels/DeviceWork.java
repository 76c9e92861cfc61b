/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.kernels;

import dev.transload.spi.RowList;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.AclException;
import dev.transload.transport.hccs.internal.acl.AclStream;
import dev.transload.transport.hccs.internal.acl.CopyKind;
import dev.transload.transport.hccs.internal.acl.Leftovers;
import dev.transload.transport.hccs.internal.acl.StreamProgress;

import org.agrona.BufferUtil;

/** The stream of row kernels: what it is given, and how far it is. What the runtime refuses is thrown. */
final class DeviceWork
{
    private final AclDevice device;
    private final AclStream stream;
    private final StreamProgress progress;
    private final boolean isStrided;
    private final Leftovers leftovers;

    DeviceWork(
        final AclDevice device, final boolean isStrided, final Leftovers leftovers, final long timeoutNs)
    {
        this.device = device;
        this.isStrided = isStrided;
        this.leftovers = leftovers;
        this.stream = device.openStream();
        StreamProgress opened = null;
        try
        {
            opened = StreamProgress.open(device, stream, leftovers, timeoutNs);
        }
        finally
        {
            if (null == opened)
            {
                leftovers.giveBack("a stream of row kernels", stream::close);
            }
        }

        this.progress = opened;
    }

    AclDevice device()
    {
        return device;
    }

    Leftovers leftovers()
    {
        return leftovers;
    }

    /** Number that is completed when all that was given so far is done. */
    long submitted()
    {
        return progress.submitted();
    }

    /** Number up to which all was done at the last look. */
    long completed()
    {
        return progress.completed();
    }

    /** Look how far the stream is. */
    void look()
    {
        check(progress.poll());
    }

    /** Let the stream say when it has done what it was given. */
    void mark()
    {
        check(progress.mark());
    }

    void copy(final CopyKind kind, final long target, final long source, final long bytes)
    {
        submit(stream.copy(kind, target, source, bytes));
    }

    /** Rows of devices' memories, by one call. */
    void copyRows(
        final long target, final long source, final RowList rows, final int from, final int count, final int length)
    {
        submit(stream.copyRows(
            CopyKind.DEVICE_TO_DEVICE, target, source, entry(rows, from), count, length, isStrided));
    }

    void zero(final long target, final long bytes)
    {
        submit(stream.zero(target, bytes));
    }

    void zeroRows(final long target, final RowList rows, final int from, final int count, final int length)
    {
        submit(stream.zeroRows(target, entry(rows, from), count, length));
    }

    /** Adds rows at the addresses that the list has, in its order. */
    void addRows(final int element, final RowList rows, final int count, final int length)
    {
        submit(stream.addRows(element, 0, 0, entry(rows, 0), count, length));
    }

    void waitFor(final long event)
    {
        submit(stream.waitFor(event));
    }

    void record(final long event)
    {
        submit(stream.record(event));
    }

    /** Drops what is not done. */
    void close()
    {
        leftovers.giveBack("a stream of row kernels", stream::close);
        progress.close(leftovers);
    }

    private void submit(final int code)
    {
        progress.touch();
        check(code);
    }

    private void check(final int code)
    {
        if (0 != code)
        {
            throw failure(code);
        }
    }

    private AclException failure(final int code)
    {
        return stream.failure(code);
    }

    private static long entry(final RowList rows, final int index)
    {
        return BufferUtil.address(rows.memory()) + (long)index * RowList.STRIDE;
    }
}
