/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.Traffic;

/**
 * Sums, for the streams of other nodes that this rank relays in a channel, the rows which the ranks of its node return,
 * and sends the partial sums home.
 */
public final class CombineForwarder extends PartsRole<CombineCall>
{
    /**
     * Of a channel.
     *
     * @param streams of other nodes.
     */
    public CombineForwarder(final int channel, final OutgoingSums[] streams)
    {
        super(CombineCall.class, "combine-forwarder", Traffic.COMBINE_SCALE_OUT, channel, streams);
    }
}
