/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.RemoteSignals;

/** Imported signals of a peer or of this rank. */
public final class ImportedSignals extends Import implements RemoteSignals
{
    /**
     * Creates an import of a worker.
     *
     * @param worker     worker that imports the memory with {@link AbstractWorker#importMemory}.
     * @param descriptor descriptor of the signals.
     * @param own        signals to which the descriptor refers if this rank owns them, otherwise null.
     * @param memory     memory of a peer's signals, as mapped in this process; its address is 0 if it is not mapped.
     *                   Closing the import frees this memory. This argument is null if this rank owns the signals, or
     *                   if there is nothing to free.
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
     * Returns the address of a signal. The signals must be mapped in this process.
     *
     * @param index index of the signal, already checked.
     * @return address of the signal's 8-byte word.
     */
    public long address(final int index)
    {
        return address() + (long)index * RegionDescriptor.SIGNAL_STRIDE;
    }
}
