/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.connect.SignalMap;
import dev.transload.engine.internal.ring.MetaTransfer;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.spi.SignalRegion;

/**
 * By which a rank knows that all ranks are done with a call. The ranks of a node tell each other that they are; then
 * each tells its relay on every other node that its node is; then the ranks of a node tell each other that all nodes
 * are. A world of one node needs the first round only. Of the engine's first thread, once the rank's own part is done.
 */
public final class Confirmation
{
    private static final int NODE = 0;
    private static final int OTHER_NODES = 1;
    private static final int ALL_NODES = 2;
    private static final int OVER = 3;

    private final Geometry geometry;
    private final SignalRegion outSignals;
    private final SignalRegion upSignals;
    private final MetaTransfer[] outTransfers;
    private final MetaTransfer[] upTransfers;
    private final int[] heard;
    /** Signals of a local rank for each call. */
    private final int rounds;
    private long call;
    private int round = OVER;

    /**
     * Of an engine.
     *
     * @param outSignals   own signals of the scale-out stage, null in a world of one node.
     * @param upSignals    own signals of the scale-up stage.
     * @param outTransfers to the relay on each node, null for the own one and for nodes without ranks.
     * @param upTransfers  to each local rank, null for the own one and for absent ones.
     */
    public Confirmation(
        final Geometry geometry, final SignalRegion outSignals, final SignalRegion upSignals,
        final MetaTransfer[] outTransfers, final MetaTransfer[] upTransfers)
    {
        this.geometry = geometry;
        this.outSignals = outSignals;
        this.upSignals = upSignals;
        this.outTransfers = outTransfers;
        this.upTransfers = upTransfers;
        this.heard = geometry.relays().counted(geometry.world().local());
        this.rounds = 1 == geometry.nodes() ? 1 : 2;
    }

    /** This rank is done with a call. Must be called for each call, in order. */
    public void begin(final long number)
    {
        call = number;
        round = NODE;
        send(upTransfers);
    }

    private static void send(final MetaTransfer[] transfers)
    {
        for (final MetaTransfer transfer : transfers)
        {
            if (null != transfer)
            {
                transfer.beginSignal();
            }
        }
    }

    /** Send and look for what came. */
    public int step()
    {
        final int work = MetaTransfer.advance(upTransfers) + MetaTransfer.advance(outTransfers);
        if (OVER == round || isAnyActive(upTransfers) || isAnyActive(outTransfers) || !isRoundOver())
        {
            return work;
        }

        round = 1 == rounds ? OVER : round + 1;
        if (OTHER_NODES == round)
        {
            send(outTransfers);
        }
        else if (ALL_NODES == round)
        {
            send(upTransfers);
        }

        return work + 1;
    }

    private boolean isRoundOver()
    {
        return OTHER_NODES == round ? missingSource() < 0 : missingLocal() < 0;
    }

    private long expectedUp()
    {
        return rounds * (call - 1) + (ALL_NODES == round ? 2 : 1);
    }

    private int missingLocal()
    {
        for (int local = 0; local < upTransfers.length; local++)
        {
            if (null != upTransfers[local] &&
                upSignals.getAcquire(SignalMap.confirmedUp(geometry, local)) < expectedUp())
            {
                return local;
            }
        }

        return -1;
    }

    private int missingSource()
    {
        for (final int source : heard)
        {
            if (geometry.world().rank() != source &&
                outSignals.getAcquire(SignalMap.confirmedOut(geometry, source)) < call)
            {
                return source;
            }
        }

        return -1;
    }

    /** Whether all ranks are done with the call. */
    public boolean isComplete()
    {
        return OVER == round;
    }

    /**
     * What is waited for.
     *
     * @return false if it is nothing.
     */
    public boolean isWaiting(final Wait wait)
    {
        if (OVER == round)
        {
            return false;
        }

        final int source = OTHER_NODES == round ? missingSource() : -1;
        final int local = OTHER_NODES == round ? -1 : missingLocal();
        if (source >= 0)
        {
            return wait.set(source, -1, WaitCounter.CONFIRMATION, call,
                outSignals.getAcquire(SignalMap.confirmedOut(geometry, source)));
        }

        return local >= 0 ? wait.set(geometry.world().rankAt(geometry.world().node(), local), -1,
            WaitCounter.CONFIRMATION, expectedUp(), upSignals.getAcquire(SignalMap.confirmedUp(geometry, local))) :
            MetaTransfer.isAnyWaiting(upTransfers, wait) || MetaTransfer.isAnyWaiting(outTransfers, wait);
    }

    private static boolean isAnyActive(final MetaTransfer[] transfers)
    {
        for (final MetaTransfer transfer : transfers)
        {
            if (null != transfer && transfer.isActive())
            {
                return true;
            }
        }

        return false;
    }
}
