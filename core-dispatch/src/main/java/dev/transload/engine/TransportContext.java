/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.TransportRegistry;

/**
 * The transports of one rank in one world, shared by all engines that are opened over it: a normal engine beside a
 * low-latency one, or several of either. A transport is opened when the first engine names it. It is closed when this
 * context and all of its engines are closed, in whatever order.
 * <p>
 * Each engine has workers, memory, signals and messages of its own; its number tells them apart. So <b>all ranks open
 * their engines in the same order</b>, else every rank is told so. Engines may be closed in any order, and new ones
 * opened. An engine that failed or was closed leaves the others alone; the death of a rank is one for all of them.
 * <p>
 * A rendezvous has one context at most. Thread-safe; engines that are opened side by side have no order.
 */
public interface TransportContext extends AutoCloseable
{
    /**
     * Open; no transport yet, so that nothing of it is collective.
     *
     * @param rendezvous of the world; stays the caller's to close, after the context and its engines.
     * @param transports found.
     * @return context, which the caller closes.
     */
    static TransportContext open(final Rendezvous rendezvous, final TransportRegistry transports)
    {
        return EngineProvider.find().openContext(rendezvous, transports);
    }

    /** Open no more engines. Those that are open go on; the last one closes the transports. Idempotent. */
    @Override
    void close();
}
