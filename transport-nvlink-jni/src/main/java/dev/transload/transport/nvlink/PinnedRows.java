/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.RowList;
import dev.transload.transport.base.AddressView;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.PinnedMemory;

import java.lang.ref.Cleaner;

/** Lists of rows in page-locked memory, which lasts as long as its list is in use. */
final class PinnedRows
{
    private static final Cleaner CLEANER = Cleaner.create();

    private final CudaDevice device;

    PinnedRows(final CudaDevice device)
    {
        this.device = device;
    }

    RowList allocate(final int capacity)
    {
        if (capacity < 0)
        {
            throw new IllegalArgumentException("capacity=" + capacity + ": must not be negative");
        }

        final int length = Math.multiplyExact(capacity, RowList.STRIDE);
        final PinnedMemory memory = device.allocatePinned(Math.max(RowList.STRIDE, length));
        final RowList rows = new RowList(AddressView.of(memory.address(), length), capacity);
        CLEANER.register(rows, memory::close);
        return rows;
    }
}
