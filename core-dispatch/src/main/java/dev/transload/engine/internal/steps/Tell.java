/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

/** TELL: one word a block to each active near rank, behind all that was stored. */
final class Tell implements Primitive
{
    private final Parts parts;
    private final Peers peers;
    private final Call call;
    private final Moment moment;
    private final Place place;
    private final boolean isPushed;

    /** Of answers that were pushed, where it is so. */
    Tell(final Parts parts, final Moment moment, final Place place, final boolean isPushed)
    {
        this.isPushed = isPushed;
        this.parts = parts;
        this.peers = parts.peers();
        this.call = parts.call();
        this.moment = moment;
        this.place = place;
    }

    @Override
    public void begin(final long nowNs)
    {
        if (Moment.DONE == moment)
        {
            // Nobody grants answers before it has this rank's rows.
            peers.beginLeases(nowNs);
        }

        for (int rank = 0; rank < peers.ranks(); rank++)
        {
            if (peers.isActive(rank) && !peers.isFar(rank))
            {
                tell(rank);
            }
        }
    }

    private void tell(final int rank)
    {
        if (Moment.READY == moment)
        {
            peers.tell(rank, peers.words.ready(call.number, peers.ownRank), call.number,
                isPushed ? Moment.PUSHED : parts.arguments().answers());
            if (isPushed)
            {
                return;
            }

            peers.beginReading(rank, parts.clock().nanoTime());
            return;
        }

        for (int block = 0; block < peers.shape.blocks(); block++)
        {
            if (Moment.DONE == moment)
            {
                peers.tell(rank, peers.words.done(call.number, peers.ownRank, block), call.number,
                    place.slotsOf(rank));
            }
            else
            {
                peers.tell(rank, peers.words.read(call.number, peers.ownRank, block), call.number, 0);
            }
        }
    }

    @Override
    public boolean isDone(final long nowNs)
    {
        return true;
    }
}
