/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.Channel;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;
import dev.transload.spi.WorkQueue;
import java.util.ArrayList;
import java.util.List;

/** Makes a channel's operations, counts them and hands them to its queue. */
final class Submission
{
    private final SteppingFabric fabric;
    private final SteppingChannel channel;
    private final OperationQueue queue;
    private List<Gate> gates = List.of();
    private long position;
    private long lastUse;

    Submission(final SteppingFabric fabric, final SteppingChannel channel, final OperationQueue queue)
    {
        this.fabric = fabric;
        this.channel = channel;
        this.queue = queue;
    }

    /** A broken transport takes a channel that was not used for a while for dead. */
    boolean isIdle()
    {
        return position > 0 && fabric.schedule().now() - lastUse > fabric.options().livenessSteps();
    }

    long position()
    {
        return position;
    }

    Operation operation(final Operation.Type type)
    {
        lastUse = fabric.schedule().now();
        final int counts = fabric.has(Fault.POS_1) && Operation.Type.LOAD == type ? 2 : 1;
        final Operation operation = new Operation(type, position + counts, fabric.nextSubmission());
        operation.gates = gates;
        return operation;
    }

    Operation transfer(
        final Operation.Type type, final SteppingRegion local, final long localOffset,
        final SteppingRemoteRegion target, final long remoteOffset, final long length)
    {
        final Operation operation = operation(type);
        operation.local = local;
        operation.localOffset = localOffset;
        operation.remote = target.descriptor();
        operation.remoteOffset = remoteOffset;
        operation.length = length;
        return operation;
    }

    long accept(final Operation operation)
    {
        position = operation.position;
        queue.add(operation);
        fabric.schedule().activate(channel);
        return position;
    }

    /** Accepts rows [from, from + count), each an operation of its own. */
    long acceptRows(
        final SteppingRegion local, final SteppingRemoteRegion target, final RowList rows, final int from,
        final int count)
    {
        for (int row = from; row < from + count; row++)
        {
            final Operation operation = transfer(Operation.Type.ROW, local, rows.srcOffset(row), target,
                rows.dstOffset(row), rows.rowLength());
            operation.rows = rows;
            operation.row = row;
            accept(operation);
        }

        return position;
    }

    /** All rows are checked before any is accepted. */
    SteppingRemoteRegion checkRows(
        final SteppingRegion local, final RemoteRegion dst, final RowList rows, final int from, final int count)
    {
        RowAccess.checkCount(from, count, rows.capacity());
        final int rowLength = rows.rowLength();
        for (int row = from; row < from + count; row++)
        {
            local.checkRange("putRows", rows.srcOffset(row), rowLength);
            imported("putRows", dst, rows.dstOffset(row), rowLength);
            checkAlignment("putRows", rows.srcOffset(row), rows.dstOffset(row), rowLength);
        }

        return imported("putRows", dst, 0, 0);
    }

    /** Puts a gate before later fences and reads of local memory; a foreign kind of kernels cannot be chained to. */
    long startAfter(final WorkQueue kernels, final long kernelsPosition)
    {
        if (kernelsPosition > kernels.position())
        {
            throw new IllegalArgumentException("startAfter: position " + kernelsPosition +
                " was not submitted yet: must be at most " + kernels.position());
        }

        final Gate gate = new Gate(kernels, kernelsPosition);
        if (!gate.isOpen() && !fabric.has(Fault.ORD_7))
        {
            if (!(kernels instanceof SteppingKernels) || fabric.mischief(0.25))
            {
                return Channel.BACK_PRESSURED;
            }

            final List<Gate> next = new ArrayList<>(gates);
            next.removeIf(Gate::isOpen);
            next.add(gate);
            gates = List.copyOf(next);
        }

        return position;
    }

    SteppingRemoteRegion imported(
        final String what, final RemoteRegion region, final long offset, final long length)
    {
        if (!(region instanceof SteppingRemoteRegion))
        {
            throw foreign(what);
        }

        final SteppingRemoteRegion target = (SteppingRemoteRegion)region;
        target.check(channel, what, offset, length);
        return target;
    }

    void checkLength(final String what, final long length)
    {
        if (length > fabric.options().maxPutLength() && !fabric.has(Fault.MIS_7))
        {
            throw new IllegalArgumentException(
                what + ": length " + length + " must be at most " + fabric.options().maxPutLength());
        }
    }

    void checkAlignment(final String what, final long srcOffset, final long dstOffset, final long length)
    {
        final int alignment = fabric.options().offsetAlignment();
        if (0 != ((srcOffset | dstOffset | length) & (alignment - 1)) && !fabric.has(Fault.MIS_5))
        {
            throw new IllegalArgumentException(what + ": offsets " + srcOffset + ", " + dstOffset + " and length " +
                length + " must be multiples of " + alignment);
        }
    }

    static IllegalArgumentException foreign(final String what)
    {
        return new IllegalArgumentException(what + ": the import is of another transport");
    }
}
