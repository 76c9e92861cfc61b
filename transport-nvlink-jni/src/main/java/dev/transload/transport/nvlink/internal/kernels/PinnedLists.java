/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.kernels;

import dev.transload.kernels.RowTable;
import dev.transload.spi.RowList;
import dev.transload.transport.base.AddressView;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.PinnedMemory;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;

/** Lists in page-locked memory, which lasts as long as its list is in use. */
public final class PinnedLists
{
    private static final Cleaner CLEANER = Cleaner.create();

    private final CudaDevice device;

    /** Of a device; the others of the process read its lists too. */
    public PinnedLists(final CudaDevice device)
    {
        this.device = device;
    }

    /** A list of rows. */
    public RowList rows(final int capacity)
    {
        checkCapacity("capacity", capacity);
        final int length = Math.multiplyExact(capacity, RowList.STRIDE);
        final PinnedMemory memory = allocate(length);
        final RowList rows = new RowList(AddressView.of(memory.address(), length), capacity);
        CLEANER.register(rows, memory::close);
        return rows;
    }

    /**
     * A table of rows.
     *
     * @param rowCapacity   most rows.
     * @param entryCapacity most entries of all rows.
     * @param isWeighted    whether entries have weights.
     * @return the table.
     */
    public RowTable table(final int rowCapacity, final int entryCapacity, final boolean isWeighted)
    {
        final int length = RowTable.bytes(rowCapacity, entryCapacity, isWeighted);
        final PinnedMemory memory = allocate(length);
        final RowTable table =
            new RowTable(AddressView.of(memory.address(), length), rowCapacity, entryCapacity, isWeighted);
        CLEANER.register(table, memory::close);
        return table;
    }

    /**
     * Where a list of rows begins for devices.
     *
     * @param name of the argument.
     * @param rows list.
     * @return address of the first entry.
     * @throws IllegalArgumentException when devices cannot read it.
     */
    public static long addressOf(final String name, final RowList rows)
    {
        return addressOf(name, rows.memory(), (long)rows.capacity() * RowList.STRIDE, "allocateRows");
    }

    static long addressOf(final String name, final RowTable table)
    {
        return addressOf(name, table.memory(),
            RowTable.bytes(table.rowCapacity(), table.entryCapacity(), table.isWeighted()), "allocateTable");
    }

    private static long addressOf(
        final String name, final ByteBuffer memory, final long length, final String allocator)
    {
        final long address = BufferUtil.address(memory);
        if (0 != length && !PinnedMemory.holds(address, length))
        {
            throw new IllegalArgumentException(name + " is in memory that the device cannot read: it must come from " +
                allocator + " of a transport nvlink or of CUDA row kernels");
        }

        return address;
    }

    private PinnedMemory allocate(final int length)
    {
        return device.allocatePinned(Math.max(RowList.STRIDE, length));
    }

    private static void checkCapacity(final String name, final int capacity)
    {
        if (capacity < 0)
        {
            throw new IllegalArgumentException(name + "=" + capacity + ": must not be negative");
        }
    }
}
