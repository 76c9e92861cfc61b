/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.TransportRegistry;

/**
 * The transports of one rank in one world. All engines that are opened in this context share them, e.g. a normal and a
 * low-latency engine. A transport is opened when the first engine needs it. A transport is closed when this context and
 * all engines of the context are closed, in any order.
 * <p>
 * Each engine has its own workers, memory, signals and messages, identified by the number of the engine. Engines are
 * numbered in the order in which a rank opens them. Therefore <b>all ranks must open their engines in the same
 * order</b>; otherwise opening fails on every rank. Engines may be closed in any order, and new ones may be opened. If
 * one engine fails or is closed, the other engines are not affected. If a rank dies, all engines are affected.
 * <p>
 * A rendezvous may have only one context. The context is thread-safe, but engines that several threads open at the same
 * time have no defined order.
 */
public interface TransportContext extends AutoCloseable
{
    /**
     * Opens a context. This method opens no transport, so other ranks need not take part.
     *
     * @param rendezvous rendezvous of the world. The caller closes the rendezvous after the context and its engines.
     * @param transports registry of the transports that engines may use.
     * @return context, which the caller closes.
     */
    static TransportContext open(final Rendezvous rendezvous, final TransportRegistry transports)
    {
        return EngineProvider.find().openContext(rendezvous, transports);
    }

    /**
     * Closes the context. After that, no more engines can be opened in this context. Open engines continue; the last
     * engine to close also closes the transports. Idempotent.
     */
    @Override
    void close();
}
