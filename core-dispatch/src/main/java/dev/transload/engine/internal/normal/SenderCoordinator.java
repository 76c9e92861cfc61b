/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.Traffic;

/** Sends its channel's rows to the relays on other nodes, a chunk at a time. */
public final class SenderCoordinator extends PartsRole<DispatchCall>
{
    /**
     * Of a channel.
     *
     * @param nodes a stream to each but the own one.
     */
    public SenderCoordinator(final int channel, final OutgoingRows[] nodes)
    {
        super(DispatchCall.class, "sender-coordinator", Traffic.DISPATCH_SCALE_OUT, channel, nodes);
    }
}
