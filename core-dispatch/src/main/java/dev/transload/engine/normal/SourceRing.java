/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.connect.Section;
import dev.transload.engine.plan.ForwardRoutes;
import dev.transload.engine.wire.RowMeta;
import dev.transload.engine.world.Geometry;
import dev.transload.engine.world.Stage;
import dev.transload.spi.MemoryRegion;

/**
 * A channel's rows from one source node as a forwarder finds them: in the scale-out ring, or of the own node, metadata
 * in the ring and payload in the caller's tensor.
 */
final class SourceRing
{
    private final ArenaMap map;
    private final int channel;
    private final int node;
    private final boolean isOwn;
    private final Section metas;
    private final RowMeta layout;
    private final int maskWords;
    private final int word;
    private final long bit;
    private final long first;
    private final int slots;
    private int slot;

    SourceRing(
        final Geometry geometry, final ArenaMap map, final RowMeta layout, final int channel, final int node,
        final int local)
    {
        final int own = geometry.world().node();
        this.map = map;
        this.channel = channel;
        this.node = node;
        this.isOwn = node == own;
        this.metas = isOwn ? map.rowMetaOutOut : map.rowMetaOutIn;
        this.layout = layout;
        this.maskWords = geometry.maskWords();
        this.word = local >> 6;
        this.bit = 1L << (local & 63);
        this.first = isOwn ? geometry.outRingStart(channel, node) : geometry.otherRingStart(channel, node, own);
        this.slots = geometry.outRing();
    }

    int node()
    {
        return node;
    }

    boolean isOwn()
    {
        return isOwn;
    }

    Section metas()
    {
        return metas;
    }

    /** Begin to look at rows in order. */
    void begin(final long row)
    {
        slot = (int)(row % slots);
    }

    /** Entry of the row among all rings'. */
    long entry()
    {
        return first + slot;
    }

    /** Go on to the next row. */
    void pass()
    {
        slot = slot + 1 == slots ? 0 : slot + 1;
    }

    /** Entry of a row among all rings'. */
    long entry(final long row)
    {
        return first + row % slots;
    }

    /** How many rows from this one on lie in one piece. */
    int piece(final long row)
    {
        return slots - (int)(row % slots);
    }

    /** Whether the row goes to the forwarder's local rank. */
    boolean isForwarded(final long entry)
    {
        return 0 != (layout.mask(metas.buffer(), metas.index(entry), word) & bit);
    }

    /** Note where a row of the call goes. */
    void record(final ForwardRoutes routes, final int row, final long entry)
    {
        final int at = metas.index(entry);
        for (int i = 0; i < maskWords; i++)
        {
            routes.record(channel, node, row, i, layout.mask(metas.buffer(), at, i));
        }
    }

    MemoryRegion rows(final DispatchCall call)
    {
        return isOwn ? call.rows(Stage.SCALE_UP) : ring();
    }

    MemoryRegion scales(final DispatchCall call)
    {
        return isOwn ? call.scales(Stage.SCALE_UP) : ring();
    }

    private MemoryRegion ring()
    {
        return map.payloadOutIn.arena().region(Stage.SCALE_UP);
    }

    /** Add a row to a chunk. */
    void pick(final DispatchCall call, final long entry, final UpRing ring)
    {
        final boolean isScaled = call.scaleBytes() > 0;
        if (isOwn)
        {
            final int token = layout.sourceToken(metas.buffer(), metas.index(entry));
            ring.add(node, metas, entry, call.rowOffset(token), isScaled ? call.scaleOffset(token) : 0);
        }
        else
        {
            final long from = map.payloadOutIn.offset(entry);
            ring.add(node, metas, entry, from, isScaled ? from + call.rowBytes() : 0);
        }
    }
}
