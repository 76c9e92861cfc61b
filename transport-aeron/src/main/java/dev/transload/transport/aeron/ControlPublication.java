/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.transport.base.ControlStream;
import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import org.agrona.DirectBuffer;

/** A control stream, from when it was asked of the driver. */
final class ControlPublication implements ControlStream
{
    private final Aeron aeron;
    private final long registrationId;
    private ExclusivePublication publication;

    ControlPublication(final Aeron aeron, final long registrationId)
    {
        this.aeron = aeron;
        this.registrationId = registrationId;
    }

    @Override
    public boolean offer(final DirectBuffer message)
    {
        if (null == publication)
        {
            publication = aeron.getExclusivePublication(registrationId);
        }

        return null != publication && publication.isConnected() &&
            publication.offer(message, 0, message.capacity()) > 0;
    }

    @Override
    public void close()
    {
        if (null != publication)
        {
            publication.close();
        }
    }
}
