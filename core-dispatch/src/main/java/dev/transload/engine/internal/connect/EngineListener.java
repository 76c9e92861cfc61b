/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.rendezvous.RendezvousListener;

/** Told of what concerns one engine of a world; called on a thread of the rendezvous, so it never blocks. */
public interface EngineListener extends RendezvousListener
{
    /** Another rank closed its end of this engine, or failed to open it, and goes on with the world. */
    void onClosed(int rank);
}
