/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import dev.transload.spi.SignalRegion;

/** Credit which the consumer adds to a signal of the producer. */
public final class PushedCredit implements Credit
{
    private final SignalRegion signals;
    private final int signal;

    public PushedCredit(final SignalRegion signals, final int signal)
    {
        this.signals = signals;
        this.signal = signal;
    }

    @Override
    public long head(final long needed)
    {
        return signals.getAcquire(signal);
    }
}
