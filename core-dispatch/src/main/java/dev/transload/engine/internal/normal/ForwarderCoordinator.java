/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.ring.CreditReturn;
import dev.transload.engine.internal.ring.RingReader;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.spi.SignalRegion;

/**
 * Returns credit for what this rank relays in a channel: for rows once the forwarder needs their slots no more, for
 * blocks once they are planned and all ranks of the node have read them.
 */
public final class ForwarderCoordinator extends Role<DispatchCall>
{
    private final ChannelState state;
    private final Forwarder forwarder;
    private final SignalRegion signals;
    private final RingReader[] rings;
    private final CreditReturn[] blocks;
    private final int[][] heads;
    private final int firstRank;
    private DispatchCall call;
    private boolean isForwarderFinished;

    /**
     * Of a channel.
     *
     * @param signals own signals of the scale-up stage.
     * @param rings   by stream, null for the own one.
     * @param blocks  return of credit for blocks, by stream, null for the own one.
     * @param heads   index of the signal that counts the blocks a rank has read, by stream and local rank; -1: own.
     */
    public ForwarderCoordinator(
        final ChannelState state, final Forwarder forwarder, final SignalRegion signals, final RingReader[] rings,
        final CreditReturn[] blocks, final int[][] heads, final int firstRank)
    {
        super(DispatchCall.class, "forwarder-coordinator");
        this.state = state;
        this.forwarder = forwarder;
        this.signals = signals;
        this.rings = rings;
        this.blocks = blocks;
        this.heads = heads;
        this.firstRank = firstRank;
    }

    @Override
    protected boolean begin(final DispatchCall next)
    {
        call = next;
        isForwarderFinished = false;
        for (final RingReader ring : rings)
        {
            if (null != ring)
            {
                ring.begin();
            }
        }

        return true;
    }

    @Override
    protected int step()
    {
        // Asked first: what is read afterwards is final.
        isForwarderFinished = forwarder.finishedCall() == call.number();
        int work = 0;
        for (int stream = 0; stream < rings.length; stream++)
        {
            final long consumed = consumedBlocks(stream);
            if (null == rings[stream])
            {
                work += state.ownBlocksFree().getAcquire() < consumed ? 1 : 0;
                state.ownBlocksFree().setRelease(consumed);
            }
            else
            {
                work += rings[stream].consumedTo(state.forwarded(stream).getAcquire()) +
                    blocks[stream].report(consumed);
            }
        }

        return work;
    }

    private long consumedBlocks(final int stream)
    {
        long least = Math.min(state.planned(stream).getAcquire(), state.read(stream).getAcquire());
        for (final int head : heads[stream])
        {
            least = head < 0 ? least : Math.min(least, signals.getAcquire(head));
        }

        return least;
    }

    @Override
    protected boolean isComplete()
    {
        if (!isForwarderFinished)
        {
            return false;
        }

        for (int stream = 0; stream < rings.length; stream++)
        {
            // The sender writes no block without credit for those before: none may be left behind.
            final boolean areBlocksLeft = consumedBlocks(stream) < state.handedOn(stream).getAcquire();
            if (areBlocksLeft || null != rings[stream] && (rings[stream].isDue() ||
                !blocks[stream].isReported(state.handedOn(stream).getAcquire())))
            {
                return false;
            }
        }

        return true;
    }

    @Override
    public boolean isWaiting(final Wait wait)
    {
        for (int stream = 0; stream < rings.length; stream++)
        {
            if (null != rings[stream] && rings[stream].isDue())
            {
                return rings[stream].isWaiting(wait);
            }

            final long expected = state.handedOn(stream).getAcquire();
            for (int local = 0; local < heads[stream].length; local++)
            {
                final int head = heads[stream][local];
                final long seen = head < 0 ? expected : signals.getAcquire(head);
                if (seen < expected)
                {
                    return wait.set(
                        firstRank + local, state.channel(), WaitCounter.SCALE_UP_BLOCK_HEAD, expected, seen);
                }
            }
        }

        return false;
    }
}
