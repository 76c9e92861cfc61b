/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.ring;

import dev.transload.engine.connect.Connection;
import dev.transload.engine.wire.Wait;

/** Adds what was consumed to a signal at the producer, once a batch is full. */
public final class PushingReturn implements CreditReturn
{
    private final Connection connection;
    private final int signal;
    private final int batch;
    private long reported;

    /**
     * To a signal.
     *
     * @param connection to the producer.
     * @param signal     index of the head among the producer's signals.
     * @param batch      rows, the least to report.
     */
    public PushingReturn(final Connection connection, final int signal, final int batch)
    {
        this.connection = connection;
        this.signal = signal;
        this.batch = batch;
    }

    @Override
    public int report(final long head)
    {
        return isDue(head) ? reportAll(head) : 0;
    }

    @Override
    public int reportAll(final long head)
    {
        if (isReported(head))
        {
            return 0;
        }

        if (!connection.isAccepted(connection.channel().atomicAdd(connection.signals(), signal, head - reported)))
        {
            return 0;
        }

        reported = head;
        return 1;
    }

    @Override
    public boolean isDue(final long head)
    {
        return head - reported >= batch;
    }

    @Override
    public boolean isReported(final long head)
    {
        return head == reported;
    }

    @Override
    public boolean awaits(final Wait wait)
    {
        return connection.awaits(wait, 0, true);
    }
}
