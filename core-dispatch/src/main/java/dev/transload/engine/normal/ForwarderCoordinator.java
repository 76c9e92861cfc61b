/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.connect.SignalMap;
import dev.transload.engine.ring.CreditReturn;
import dev.transload.engine.ring.RingReader;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Geometry;
import dev.transload.spi.SignalRegion;

/**
 * Gives credit back for what this rank relays in a channel: for rows once the forwarder needs their slots no more, for
 * blocks once they are placed and all ranks of the node have read them.
 */
public final class ForwarderCoordinator extends Role
{
    private final Geometry geometry;
    private final ChannelState state;
    private final Forwarder forwarder;
    private final SignalRegion signals;
    private final RingReader[] rings;
    private final CreditReturn[] blocks;
    private Call call;
    private boolean isForwarderFinished;

    /**
     * Of a channel.
     *
     * @param board     of the engine.
     * @param geometry  sizes.
     * @param state     of the channel.
     * @param forwarder of the channel.
     * @param signals   own signals of the scale-up stage.
     * @param rings     by stream, null for the own one.
     * @param blocks    return of credit for blocks, by stream, null for the own one.
     */
    public ForwarderCoordinator(
        final Board board, final Geometry geometry, final ChannelState state, final Forwarder forwarder,
        final SignalRegion signals, final RingReader[] rings, final CreditReturn[] blocks)
    {
        super(board, "forwarder-coordinator");
        this.geometry = geometry;
        this.state = state;
        this.forwarder = forwarder;
        this.signals = signals;
        this.rings = rings;
        this.blocks = blocks;
    }

    @Override
    protected boolean begin(final Call next)
    {
        if (!(next instanceof DispatchCall))
        {
            return false;
        }

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
        final int own = geometry.world().local();
        long least = Math.min(state.planned(stream).getAcquire(), state.read(stream).getAcquire());
        for (int local = 0; local < geometry.locals(); local++)
        {
            least = local == own ? least : Math.min(least,
                signals.getAcquire(SignalMap.blockHeadUp(geometry, state.channel(), local, stream)));
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
    public boolean awaits(final Wait wait)
    {
        final int own = geometry.world().local();
        for (int stream = 0; stream < rings.length; stream++)
        {
            if (null != rings[stream] && rings[stream].isDue())
            {
                return rings[stream].awaits(wait);
            }

            final long expected = state.handedOn(stream).getAcquire();
            for (int local = 0; local < geometry.locals(); local++)
            {
                final long seen = local == own ? expected :
                    signals.getAcquire(SignalMap.blockHeadUp(geometry, state.channel(), local, stream));
                if (seen < expected)
                {
                    return wait.set(geometry.world().first(geometry.world().node()) + local, state.channel(),
                        WaitCounter.SCALE_UP_BLOCK_HEAD, expected, seen);
                }
            }
        }

        return false;
    }
}
