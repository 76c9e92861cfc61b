/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.StepFifo;
import dev.transload.kernels.StepWords;

/** COUNTS: how many rows the experts of each rank get from this one. */
final class Counts implements Primitive
{
    private final Peers peers;
    private final Call call;

    Counts(final Parts parts)
    {
        this.peers = parts.peers();
        this.call = parts.call();
    }

    @Override
    public void begin(final long nowNs)
    {
        peers.beginLeases(nowNs);
        for (int owner = 0; owner < peers.ranks(); owner++)
        {
            if (peers.isActive(owner))
            {
                tell(owner);
            }
        }
    }

    private void tell(final int owner)
    {
        final int experts = peers.shape.localExperts();
        for (int local = 0; local < experts; local++)
        {
            final int count = local < call.localExperts ? call.count[owner * call.localExperts + local] : 0;
            final int value = StepWords.countValue(count, call.check);
            if (peers.isFar(owner))
            {
                peers.write(owner, peers.sends.counts(call.number, peers.peer(owner).farIndex(), local), call.number,
                    value);
            }
            else
            {
                peers.tell(owner, peers.words.counts(call.number, peers.ownRank, local), call.number, value);
            }
        }

        if (peers.isFar(owner))
        {
            peers.post(owner, StepFifo.COUNTS, call.number, 0, experts);
        }
    }

    @Override
    public boolean isDone(final long nowNs)
    {
        return true;
    }
}
