/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.connect;

import dev.transload.engine.wire.ClearToSend;
import dev.transload.engine.wire.CountsMessage;
import dev.transload.engine.wire.LaneMeta;
import dev.transload.engine.wire.RowMeta;
import dev.transload.engine.wire.StatusPage;
import dev.transload.engine.world.Geometry;
import dev.transload.engine.world.Stage;
import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import java.util.ArrayList;
import java.util.List;

/**
 * All sections of all arenas. {@code In} sections are written by peers, {@code Out} sections are what this rank sends
 * from. Meta messages have two sets which alternate by call. Rings are indexed (channel, peer index, slot).
 */
public final class ArenaMap implements AutoCloseable
{
    /** Sets of meta messages. */
    public static final int SETS = 2;

    /** Bytes between words that one side writes and another polls. */
    private static final int WORD_STRIDE = 64;

    private final List<Arena> arenas = new ArrayList<>();
    private final Geometry geometry;
    private final boolean isStaged;

    /** Scale-out notify messages in: (set, source node). */
    public final Section notifyOutIn;
    /** Scale-out notify messages to send: (set, node). */
    public final Section notifyOutOut;
    /** Scale-up notify messages in: (set, source local rank). */
    public final Section notifyUpIn;
    /** Scale-up notify messages to send: (set, local rank). */
    public final Section notifyUpOut;
    /** What ranks of the node expose to this one: (set, local rank). */
    public final Section exposureUpIn;
    /** What this rank exposes to them: (set, local rank). */
    public final Section exposureUpOut;
    /** Scale-out lane metas in: (set, channel, source node). */
    public final Section laneOutIn;
    /** Scale-out lane metas to send: (set, channel, node). */
    public final Section laneOutOut;
    /** Scale-up lane metas in: (set, channel, forwarder, source node). */
    public final Section laneUpIn;
    /** Scale-up lane metas to send: (set, channel, local rank, source node). */
    public final Section laneUpOut;
    /** Dispatch scale-out ring, metadata: (channel, other source node, slot). */
    public final Section rowMetaOutIn;
    /** Send half of it: (channel, node, slot); the own node's entry is the ring itself. */
    public final Section rowMetaOutOut;
    /** Dispatch scale-up ring, metadata: (channel, forwarder, slot). */
    public final Section rowMetaUpIn;
    /** Dispatch scale-out ring, payload: (channel, other source node, slot). */
    public final Section payloadOutIn;
    /** Send half of it where rows are packed or staged: (channel, other node, slot). */
    public final Section payloadOutOut;
    /** Dispatch scale-up ring, payload: (channel, forwarder, slot). */
    public final Section payloadUpIn;
    /** Combine scale-up sub-rings, payload: (channel, expert's local rank, home node, slot). */
    public final Section rowsUpIn;
    /** Send half of them where expert-major rows are summed first: (channel, forwarder, home node, slot). */
    public final Section rowsUpOut;
    /** Combine scale-up sub-rings, weights. */
    public final Section weightsUpIn;
    /** Send half of them. */
    public final Section weightsUpOut;
    /** Combine scale-out ring, partial sums, where they are summed at home: (channel, other expert node, slot). */
    public final Section partialsOutIn;
    /** Send half of it, where row kernels sum: (channel, other home node, slot). */
    public final Section partialsOutOut;
    /**
     * Where partial sums of other nodes come in: {@link #partialsOutIn}, or its host block where they are staged.
     */
    public final Section wirePartialsIn;
    /** Where partial sums leave from: {@link #partialsOutOut}, or its host block where they are staged. */
    public final Section wirePartialsOut;
    /** Combine scale-out ring, weights: (channel, other expert node, slot). */
    public final Section partialWeightsOutIn;
    /** Send half of it: (channel, other home node, slot). */
    public final Section partialWeightsOutOut;
    /** Heads that producers load, scale-out: (signal index of the head). */
    public final Section headsOut;
    /** Heads that producers load, scale-up: (signal index of the head). */
    public final Section headsUp;
    /**
     * Where loaded heads arrive: (reader, signal index of the head), scale-out then scale-up. Senders of one channel
     * read the same head but never share the target of a load.
     */
    public final Section loadedHeads;
    /** Whom this rank awaits, for peers of either stage. */
    public final Section statusOut;
    /** As above, exported by the scale-up transport. */
    public final Section statusUp;
    /** Where a peer's status arrives. */
    public final Section loadedStatus;

    /**
     * Lay out, without memory yet.
     *
     * @param geometry sizes.
     * @param isStaged whether the scale-out transport moves the payload from and to host memory.
     */
    public ArenaMap(final Geometry geometry, final boolean isStaged)
    {
        this.geometry = geometry;
        this.isStaged = isStaged;
        final long c = geometry.channels();
        final long n = geometry.nodes();
        final long others = n - 1;
        final long g = geometry.locals();
        final long outSlots = geometry.outRing();
        final long upSlots = geometry.upRing();
        final long subSlots = geometry.subRing();
        final boolean isPacking = geometry.config().alwaysPack();
        final long metaStride = RowMeta.stride(geometry.maskWords(), geometry.config().maxTopk());
        final long laneOutStride = LaneMeta.outStride(geometry);
        final long laneUpStride = LaneMeta.upStride(geometry);

        notifyOutIn = host(Stage.SCALE_OUT, Access.REMOTE, SETS * n, CountsMessage.outStride(geometry));
        notifyOutOut = host(Stage.SCALE_UP, Access.LOCAL, SETS * n, CountsMessage.outStride(geometry));
        notifyUpIn = host(Stage.SCALE_UP, Access.REMOTE, SETS * g, CountsMessage.upStride(geometry));
        notifyUpOut = host(Stage.SCALE_UP, Access.LOCAL, SETS * g, CountsMessage.upStride(geometry));
        exposureUpIn = host(Stage.SCALE_UP, Access.REMOTE, SETS * g, ClearToSend.stride(geometry));
        exposureUpOut = host(Stage.SCALE_UP, Access.LOCAL, SETS * g, ClearToSend.stride(geometry));
        laneOutIn = host(Stage.SCALE_OUT, Access.REMOTE, SETS * c * n, laneOutStride);
        laneOutOut = host(Stage.SCALE_UP, Access.LOCAL, SETS * c * n, laneOutStride);
        laneUpIn = host(Stage.SCALE_UP, Access.REMOTE, SETS * c * g * n, laneUpStride);
        laneUpOut = host(Stage.SCALE_UP, Access.LOCAL, SETS * c * g * n, laneUpStride);
        rowMetaOutIn = host(Stage.SCALE_OUT, Access.REMOTE, c * others * outSlots, metaStride);
        rowMetaOutOut = host(Stage.SCALE_UP, Access.LOCAL, c * n * outSlots, metaStride);
        rowMetaUpIn = host(Stage.SCALE_UP, Access.REMOTE, c * g * upSlots, metaStride);
        weightsUpIn = host(Stage.SCALE_UP, Access.REMOTE, c * g * n * subSlots, geometry.weightStride());
        weightsUpOut = host(Stage.SCALE_UP, Access.LOCAL, c * g * n * subSlots, geometry.weightStride());
        partialWeightsOutIn = host(Stage.SCALE_OUT, Access.REMOTE, c * others * outSlots, geometry.weightStride());
        partialWeightsOutOut = host(Stage.SCALE_UP, Access.LOCAL, c * others * outSlots, geometry.weightStride());
        headsOut = host(Stage.SCALE_OUT, Access.REMOTE, SignalMap.outCount(geometry), WORD_STRIDE);
        headsUp = host(Stage.SCALE_UP, Access.REMOTE, SignalMap.upCount(geometry), WORD_STRIDE);
        loadedHeads = host(Stage.SCALE_UP, Access.LOCAL,
            (long)geometry.config().sendersPerChannel() *
            (SignalMap.outCount(geometry) + SignalMap.upCount(geometry)), WORD_STRIDE);
        statusOut = host(Stage.SCALE_OUT, Access.REMOTE, 1, StatusPage.BYTES);
        statusUp = host(Stage.SCALE_UP, Access.REMOTE, 1, StatusPage.BYTES);
        loadedStatus = host(Stage.SCALE_UP, Access.LOCAL, 1, StatusPage.BYTES);

        payloadOutIn = wire(Stage.SCALE_OUT, Access.REMOTE, c * others * outSlots, geometry.payloadStride());
        // What is staged is put to the own rank, and thus exported. Host memory of a device's transport is pinned.
        payloadOutOut = wire(Stage.SCALE_UP, isStaged ? Access.REMOTE : Access.LOCAL,
            isPacking || isStaged ? c * others * outSlots : 0, geometry.payloadStride());
        payloadUpIn = payload(Stage.SCALE_UP, Access.REMOTE, c * g * upSlots, geometry.payloadStride());
        rowsUpIn = payload(Stage.SCALE_UP, Access.REMOTE, c * g * n * subSlots, geometry.payloadStride());
        rowsUpOut = payload(Stage.SCALE_UP, Access.LOCAL, c * g * n * subSlots, geometry.payloadStride());
        partialsOutIn = payload(isStaged ? Stage.SCALE_UP : Stage.SCALE_OUT, Access.REMOTE, c * others * outSlots,
            geometry.partialStride());
        partialsOutOut = payload(Stage.SCALE_UP, Access.LOCAL, c * others * outSlots, geometry.partialStride());
        wirePartialsIn = !isStaged ? partialsOutIn :
            wire(Stage.SCALE_OUT, Access.REMOTE, c * others * outSlots, geometry.partialStride());
        wirePartialsOut = !isStaged ? partialsOutOut :
            wire(Stage.SCALE_UP, Access.REMOTE, c * others * outSlots, geometry.partialStride());
    }

    /**
     * Take the memory.
     *
     * @param stages open transports.
     */
    public void allocate(final Transports stages)
    {
        for (final Arena arena : arenas)
        {
            if (null != stages.of(arena.owner()))
            {
                arena.allocate(stages, geometry.config().device());
            }
        }
    }

    /**
     * Whether rows that change nodes are copied to host memory and back.
     *
     * @return true if so.
     */
    public boolean isStaged()
    {
        return isStaged;
    }

    /**
     * All arenas by id.
     *
     * @return arenas.
     */
    public List<Arena> arenas()
    {
        return arenas;
    }

    @Override
    public void close()
    {
        arenas.forEach(Arena::close);
    }

    private Section host(final Stage owner, final Access access, final long count, final long stride)
    {
        return new Section(arena(MemoryKind.HOST, owner, access), count, stride, true);
    }

    private Section payload(final Stage owner, final Access access, final long count, final long stride)
    {
        return new Section(arena(geometry.config().payloadKind(), owner, access), count, stride, false);
    }

    /** Rows as the scale-out transport moves them. */
    private Section wire(final Stage owner, final Access access, final long count, final long stride)
    {
        return new Section(arena(isStaged ? MemoryKind.HOST : geometry.config().payloadKind(), owner, access), count,
            stride, false);
    }

    private Arena arena(final MemoryKind kind, final Stage stage, final Access access)
    {
        final Stage owner = isOneTransport() ? Stage.SCALE_UP : stage;
        for (final Arena arena : arenas)
        {
            if (arena.kind().equals(kind) && arena.owner() == owner && arena.isRemote() == (Access.REMOTE == access))
            {
                return arena;
            }
        }

        final Arena arena = new Arena(arenas.size(), kind, owner, access);
        arenas.add(arena);
        return arena;
    }

    private boolean isOneTransport()
    {
        return 1 == geometry.nodes() ||
            geometry.config().scaleOut().transport().equals(geometry.config().scaleUp().transport());
    }
}
