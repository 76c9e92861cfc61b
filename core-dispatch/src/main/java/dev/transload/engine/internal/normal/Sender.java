/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

/**
 * Writes the metadata of its channel's streams in blocks, and the send tables that say which token each row is: once a
 * handle, since cached dispatches need neither.
 */
public final class Sender extends PartsRole<DispatchCall>
{
    /**
     * Of a channel.
     *
     * @param nodes a stream to each, the own one too.
     */
    public Sender(final int channel, final OutgoingBlocks[] nodes)
    {
        super(DispatchCall.class, "sender", null, channel, nodes);
    }

    @Override
    protected boolean begin(final DispatchCall call)
    {
        return call.hasMetadata() && super.begin(call);
    }
}
