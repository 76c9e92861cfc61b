/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.steps;

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
            if (peers.isActive(owner) && !peers.isFar(owner))
            {
                for (int local = 0; local < peers.shape.localExperts(); local++)
                {
                    final int count =
                        local < call.localExperts ? call.count[owner * call.localExperts + local] : 0;
                    peers.tell(owner, peers.words.counts(call.number, peers.ownRank, local), call.number,
                        StepWords.countValue(count, call.check));
                }
            }
        }
    }

    @Override
    public boolean isDone(final long nowNs)
    {
        return true;
    }
}
