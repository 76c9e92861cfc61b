/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.wire.Wait;

/** Adds what was consumed to a signal at the producer. */
public final class PushingReturn extends CreditReturn
{
    private final Connection connection;
    private final int signal;

    /**
     * To a signal.
     *
     * @param signal index of the head among the producer's signals.
     * @param batch  rows, the least to report.
     */
    public PushingReturn(final Connection connection, final int signal, final int batch)
    {
        super(batch);
        this.connection = connection;
        this.signal = signal;
    }

    @Override
    protected boolean write(final long head, final long consumed)
    {
        return connection.isAccepted(connection.channel().atomicAdd(connection.signals(), signal, consumed));
    }

    @Override
    public boolean isWaiting(final Wait wait)
    {
        return connection.isWaiting(wait, 0, true);
    }
}
