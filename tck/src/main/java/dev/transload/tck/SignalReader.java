/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.spi.SignalRegion;

/** Reads a signal whose value is 1, until it is refused since the signals are closed. */
final class SignalReader implements Race.Part
{
    private final SignalRegion signals;
    private final int index;
    private volatile boolean hasRead;

    SignalReader(final SignalRegion signals, final int index)
    {
        this.signals = signals;
        this.index = index;
    }

    @Override
    public boolean step()
    {
        final long seen;
        try
        {
            seen = signals.getAcquire(index);
        }
        catch (final IllegalStateException ex)
        {
            return true;
        }

        if (1 != seen)
        {
            throw new AssertionError("signal " + index + ", which is 1, was closed while it was read: expected 1 or " +
                "an IllegalStateException, seen " + seen);
        }

        if (!hasRead)
        {
            hasRead = true;
        }

        return false;
    }

    boolean hasRead()
    {
        return hasRead;
    }
}
