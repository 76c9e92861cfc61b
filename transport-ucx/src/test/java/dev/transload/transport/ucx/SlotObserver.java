/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.SignalRegion;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The reader of an ordering litmus: round c writes c into the first and last word of slot c mod slots, then adds 1 to
 * signal 0. Whoever reads c from the signal must find at least c in both words.
 */
final class SlotObserver extends Thread
{
    private static final long DEADLINE_NS = TimeUnit.MINUTES.toNanos(10);

    private final UnsafeBuffer data;
    private final SignalRegion signals;
    private final int slots;
    private final int slotLength;
    private final long rounds;
    private long looks;
    private long violations;
    private long last;

    SlotObserver(
        final MemoryRegion data, final SignalRegion signals, final int slots, final int slotLength, final long rounds)
    {
        super("observer");
        setDaemon(true);
        this.data = new UnsafeBuffer(data.hostView(0, slots * slotLength));
        this.signals = signals;
        this.slots = slots;
        this.slotLength = slotLength;
        this.rounds = rounds;
    }

    @Override
    public void run()
    {
        final long startNs = System.nanoTime();
        while (last < rounds && System.nanoTime() - startNs < DEADLINE_NS)
        {
            final long count = signals.getAcquire(0);
            if (last == count)
            {
                Thread.yield();
            }
            else
            {
                last = count;
                look(count);
            }
        }
    }

    /** Once the thread has ended: rounds seen, distinct counts looked at, violations. */
    String found()
    {
        return last + " " + looks + " " + violations;
    }

    private void look(final long count)
    {
        final int slot = (int)(count % slots) * slotLength;
        final long first = data.getLongVolatile(slot);
        final long end = data.getLongVolatile(slot + slotLength - Long.BYTES);
        looks++;
        violations += first < count || end < count ? 1 : 0;
    }
}
