/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Worker;

/** What the ranks of the node let one thread reach, call by call. */
public final class PeerMemories
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final SignalRegion signals;
    private final Worker worker;
    private final PeerMemory[] peers;

    /**
     * Of a thread.
     *
     * @param signals own signals of the scale-up stage.
     * @param worker  of that stage, which imports.
     */
    public PeerMemories(
        final Geometry geometry, final ArenaMap map, final SignalRegion signals, final Worker worker)
    {
        this.geometry = geometry;
        this.map = map;
        this.signals = signals;
        this.worker = worker;
        this.peers = new PeerMemory[geometry.locals()];
        final PeerMemory own = new PeerMemory(geometry.world().rank(), map);
        for (int local = 0; local < peers.length; local++)
        {
            peers[local] = geometry.world().local() == present(local) ? own :
                new PeerMemory(geometry.world().rankAt(geometry.world().node(), local), map);
        }
    }

    /** The own rank takes the place of an absent one, to which no rows go. */
    private int present(final int local)
    {
        return geometry.isAbsent(local) ? geometry.world().local() : local;
    }

    /**
     * Whether a rank has said what it exposes.
     *
     * @param of   local rank.
     * @param tag  of the call, which its message begins with.
     * @param form of the call; where the rank's is another one, nothing is known: its header says why.
     * @return true once {@link #of} is of this call.
     */
    public boolean isKnown(final int of, final long call, final long tag, final long form)
    {
        final int local = present(of);
        if (peers[local].call() == call)
        {
            return true;
        }

        if (signals.getAcquire(SignalMap.clearToSend(geometry, local)) < call)
        {
            return false;
        }

        final int message = map.clearToSendIn.index(geometry.clearToSend((int)(call % ArenaMap.SETS), local));
        return peers[local].read(message, call, tag, form, worker);
    }

    /**
     * What a rank exposes.
     *
     * @return what may be reached, of the last call asked for.
     */
    public PeerMemory of(final int local)
    {
        return peers[local];
    }

    /** Report a rank which has not said it yet. */
    public boolean isWaiting(final Wait wait, final int of, final int channel, final long call)
    {
        final int local = present(of);
        return wait.set(geometry.world().rankAt(geometry.world().node(), local), channel,
            WaitCounter.SCALE_UP_CLEAR_TO_SEND, call, signals.getAcquire(SignalMap.clearToSend(geometry, local)));
    }
}
