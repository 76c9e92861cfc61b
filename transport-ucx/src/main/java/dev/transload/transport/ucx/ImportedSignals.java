/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.RemoteSignals;
import dev.transload.transport.base.OwnMemory;
import dev.transload.transport.base.RegionDescriptor;
import java.util.Arrays;
import java.util.List;

/** Signals of a peer. */
final class ImportedSignals extends RemoteMemory implements RemoteSignals
{
    private SignalTotals[] totals = new SignalTotals[0];

    ImportedSignals(
        final UcxWorker worker, final RegionDescriptor descriptor, final OwnMemory own, final boolean isDirect)
    {
        super(worker, descriptor, own, isDirect);
    }

    /**
     * Totals for the channel of a slot.
     *
     * @param slot    of the channel.
     * @param holders where the channel keeps what it was given.
     * @return the same until the channel ends.
     */
    SignalTotals totals(final int slot, final List<SignalTotals> holders)
    {
        if (slot >= totals.length)
        {
            totals = Arrays.copyOf(totals, Math.max(slot + 1, 2 * totals.length));
        }

        if (null == totals[slot])
        {
            totals[slot] = held(holders);
        }

        return totals[slot];
    }

    /** The channel may have added by another import of the same signals: they come to one total. */
    private SignalTotals held(final List<SignalTotals> holders)
    {
        final int id = descriptor().id();
        for (final SignalTotals known : holders)
        {
            if (known.id() == id)
            {
                return known;
            }
        }

        final SignalTotals made = new SignalTotals(id, count());
        holders.add(made);
        return made;
    }

    @Override
    void forget(final int slot)
    {
        if (slot < totals.length)
        {
            totals[slot] = null;
        }

        super.forget(slot);
    }

    @Override
    public int count()
    {
        return (int)extent();
    }
}
