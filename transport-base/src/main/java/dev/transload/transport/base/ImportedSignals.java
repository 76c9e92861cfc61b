/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.RemoteSignals;

/** Signals of a peer, or of this rank. */
public final class ImportedSignals extends Import implements RemoteSignals
{
    /**
     * Of a worker.
     *
     * @param worker     that imports, by {@link AbstractWorker#importMemory}.
     * @param descriptor of the signals.
     * @param own        signals of this rank that the descriptor stands for, or null.
     * @param memory     of a peer's signals, which is freed with the import; its address is 0 where this process does
     *                   not address them. Null for own signals, and where there is nothing to free.
     */
    public ImportedSignals(
        final AbstractWorker worker, final RegionDescriptor descriptor, final OwnMemory own, final RegionMemory memory)
    {
        super(worker, descriptor, own, null == memory ? 0 : memory.address(), null == memory ? null : memory::free);
    }

    @Override
    public int count()
    {
        return (int)extent();
    }

    /**
     * Where a signal is.
     *
     * @param index of the signal, which has been checked.
     * @return address of its word, where this process addresses the signals.
     */
    public long address(final int index)
    {
        return address() + (long)index * RegionDescriptor.SIGNAL_STRIDE;
    }
}
