/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * Copies the rows of a table to all of their entries: one row after the other, so that it comes from memory once. Of
 * one queue, hence of one thread.
 */
final class ScatteredRows
{
    /**
     * From so many bytes on, rows of {@link #STREAM_MIN_ROW} bytes that stay where they go are streamed: as the
     * channels of host memory stream theirs, and for the same reasons ({@code RowCopy} in transport-base).
     */
    private static final long STREAM_MIN_BYTES = 64 * 1024;
    private static final int STREAM_MIN_ROW = 2048;

    /** A target region: address of row 0, and bytes from a row to the next. */
    private static final int TARGET_BYTES = 2 * Long.BYTES;
    private static final int INITIAL_TARGETS = 16;

    private final boolean isNative;
    private ByteBuffer targets = allocate(INITIAL_TARGETS);
    private long targetsAddress = BufferUtil.address(targets);

    ScatteredRows(final boolean isNative)
    {
        this.isNative = isNative;
    }

    /** Check rows, then copy them. */
    void copy(final RowScatter scatter, final RowTable table, final int from, final int count)
    {
        requireHost("source", scatter.source(), scatter.rowBytes());
        requireHost("scales", scatter.scales(), scatter.scalesBytes());
        final int regions = scatter.targetRegions();
        for (int i = 0; i < regions; i++)
        {
            requireHost("target", scatter.target(i), 0);
            requireHost("scales target", scatter.scalesTarget(i), 0);
        }

        scatter.check(table, from, count);
        reserve(regions);
        if (scatter.rowBytes() > 0)
        {
            for (int i = 0; i < regions; i++)
            {
                put(i, scatter.target(i), scatter.targetBase(i), scatter.targetStride(i));
            }

            copy(table, from, count, scatter.source().address() + scatter.sourceBase(), scatter.sourceStride(),
                scatter.rowBytes(), scatter.hasFinalPlaces());
        }

        if (scatter.scalesBytes() > 0)
        {
            for (int i = 0; i < regions; i++)
            {
                put(i, scatter.scalesTarget(i), scatter.scalesTargetBase(i), scatter.scalesTargetStride(i));
            }

            copy(table, from, count, scatter.scales().address() + scatter.scalesBase(), scatter.scalesStride(),
                scatter.scalesBytes(), scatter.hasFinalPlaces());
        }
    }

    private static void requireHost(final String name, final MemoryRegion region, final int bytes)
    {
        if (null == region && bytes > 0)
        {
            throw new IllegalArgumentException(name + " is null: must be a HOST region");
        }

        if (null != region && !region.kind().isHost())
        {
            throw new IllegalArgumentException(
                name + " is of kind " + region.kind() + ": host row kernels work on HOST regions");
        }
    }

    private void reserve(final int regions)
    {
        if (targets.capacity() < regions * TARGET_BYTES)
        {
            targets = allocate(regions);
            targetsAddress = BufferUtil.address(targets);
        }
    }

    private static ByteBuffer allocate(final int regions)
    {
        return BufferUtil.allocateDirectAligned(regions * TARGET_BYTES, TARGET_BYTES);
    }

    private void put(final int index, final MemoryRegion region, final long base, final long stride)
    {
        final long entry = targetsAddress + (long)index * TARGET_BYTES;
        UnsafeApi.putLong(entry, null == region ? 0 : region.address() + base);
        UnsafeApi.putLong(entry + Long.BYTES, stride);
    }

    private void copy(
        final RowTable table, final int from, final int count, final long source, final long stride, final int bytes,
        final boolean isFinal)
    {
        if (isNative)
        {
            final long address = BufferUtil.address(table.memory());
            final long entries = table.firstEntry(from + count) - table.firstEntry(from);
            NativeKernels.scatter(address + (long)from * RowTable.ROW_STRIDE, address + table.entriesOffset(), count,
                source, stride, bytes, targetsAddress, table.regions(),
                isFinal && bytes >= STREAM_MIN_ROW && entries * bytes >= STREAM_MIN_BYTES);
            return;
        }

        for (int i = from; i < from + count; i++)
        {
            final long row = source + table.row(i) * stride;
            for (int entry = table.firstEntry(i), end = table.firstEntry(i + 1); entry < end; entry++)
            {
                final long target = targetsAddress + (long)table.region(entry) * TARGET_BYTES;
                UnsafeApi.copyMemory(row, UnsafeApi.getLong(target) +
                    table.entryRow(entry) * UnsafeApi.getLong(target + Long.BYTES), bytes);
            }
        }
    }
}
