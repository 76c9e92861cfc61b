/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** A chunk on its way to the transport: from its beginning until all of it, tail included, is accepted. */
@Name("dev.transload.Chunk")
@Label("Chunk")
@Category("Transload")
@Description("Rows handed to a transport as one group, until the transport had accepted all of it")
@StackTrace(false)
@Threshold("1 ms")
public final class ChunkEvent extends Event
{
    private static final ChunkEvent PROBE = new ChunkEvent();

    @Label("Rank")
    private int rank;

    @Label("Peer")
    private int peer;

    @Label("Channel")
    private int channel;

    @Label("Stage")
    @Description("scale-out, scale-up, or staged: between device and host memory of the rank itself")
    private String stage;

    @Label("Rows")
    private int rows;

    @Label("Bytes")
    @DataAmount
    private long bytes;

    private ChunkEvent()
    {
        super();
    }

    /**
     * A chunk begins.
     *
     * @return event, or null while nobody records any.
     */
    public static ChunkEvent start()
    {
        if (!PROBE.isEnabled())
        {
            return null;
        }

        final ChunkEvent event = new ChunkEvent();
        event.begin();
        return event;
    }

    /** The chunk is accepted. */
    public void finish(
        final int ownRank, final int toPeer, final int atChannel, final String stageName, final int chunkRows,
        final long chunkBytes)
    {
        end();
        rank = ownRank;
        peer = toPeer;
        channel = atChannel;
        stage = stageName;
        rows = chunkRows;
        bytes = chunkBytes;
        commit();
    }
}
