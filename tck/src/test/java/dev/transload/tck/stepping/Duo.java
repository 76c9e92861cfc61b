/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.Worker;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Two ranks, one channel from 0 to 1, and what they need to talk. */
final class Duo
{
    private static final int MAX_STEPS = 200_000;
    private static final int BYTES = 1 << 12;

    final SteppingFabric fabric;
    final Transport sender;
    final Transport receiver;
    final Worker sending;
    final Worker receiving;
    final MemoryRegion source;
    final MemoryRegion target;
    final SignalRegion signals;
    final RemoteRegion remoteTarget;
    final RemoteSignals remoteSignals;
    final Channel channel;

    Duo(final long seed, final SteppingOptions options, final MemoryKind kind)
    {
        fabric = new SteppingFabric(seed, 2, options);
        sender = fabric.transport(0);
        receiver = fabric.transport(1);
        sending = sender.openWorker(0);
        receiving = receiver.openWorker(0);
        source = sender.allocate(kind, 0, BYTES, Access.LOCAL);
        target = receiver.allocate(kind, 0, BYTES, Access.REMOTE);
        signals = receiver.allocateSignals(4, 1);
        remoteTarget = sending.importRegion(1, target.descriptor());
        remoteSignals = sending.importSignals(1, signals.descriptor());
        channel = sending.connect(1, 1, receiving.address());
    }

    /** Retries an operation until it is accepted. */
    long submit(final LongSupplier operation)
    {
        for (int i = 0; i < MAX_STEPS; i++)
        {
            final long result = operation.getAsLong();
            if (result >= 0)
            {
                return result;
            }

            move();
        }

        throw new AssertionError("not accepted after " + MAX_STEPS + " steps, seed " + fabric.seed());
    }

    void await(final String what, final BooleanSupplier condition)
    {
        for (int i = 0; i < MAX_STEPS; i++)
        {
            if (condition.getAsBoolean())
            {
                return;
            }

            move();
        }

        throw new AssertionError(what + " not after " + MAX_STEPS + " steps, seed " + fabric.seed());
    }

    void move()
    {
        fabric.step();
        sending.progress();
        receiving.progress();
    }
}
