/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.Traffic;

/** Returns a channel's expert rows to the relays that brought them. */
public final class CombineSender extends PartsRole<CombineCall>
{
    /**
     * Of a channel.
     *
     * @param streams that ranks of the node relay.
     */
    public CombineSender(final int channel, final OutgoingReturns[] streams)
    {
        super(CombineCall.class, "combine-sender", Traffic.COMBINE_SCALE_UP, channel, streams);
    }
}
