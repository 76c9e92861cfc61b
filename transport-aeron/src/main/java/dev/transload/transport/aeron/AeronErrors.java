/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.AgentTerminationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Errors that Aeron tells nobody else: logged, except while opening, when they become the caller's exception. */
final class AeronErrors implements ErrorHandler
{
    private static final Logger LOG = LoggerFactory.getLogger(AeronErrors.class);

    private final int rank;
    private volatile boolean isOpening = true;

    AeronErrors(final int rank)
    {
        this.rank = rank;
    }

    void opened()
    {
        isOpening = false;
    }

    @Override
    public void onError(final Throwable error)
    {
        // That the client stops after a fatal error says nothing new.
        if (!isOpening && !(error instanceof AgentTerminationException))
        {
            LOG.warn("Aeron of rank {}: {}", rank, error.toString());
        }

        LOG.debug("Aeron of rank {}", rank, error);
    }
}
