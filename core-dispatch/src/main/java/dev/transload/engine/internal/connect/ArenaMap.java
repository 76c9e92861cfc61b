/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.engine.internal.wire.ClearToSend;
import dev.transload.engine.internal.wire.CountsMessage;
import dev.transload.engine.internal.wire.MetadataBlock;
import dev.transload.engine.internal.wire.StatusPage;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;
import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import java.util.ArrayList;
import java.util.List;

/**
 * All sections of all arenas. {@code In} sections are written by peers, {@code Out} sections are what this rank sends
 * from. Meta messages have two sets which alternate by call. A stream is a (channel, stream of the relay).
 */
public final class ArenaMap
{
    /** Sets of meta messages. */
    public static final int SETS = 2;

    /** Bytes between words that one side writes and another polls. */
    private static final int WORD_STRIDE = 64;

    private final List<Arena> arenas = new ArrayList<>();
    private final Geometry geometry;
    private final boolean isStaged;

    /** Scale-out notify messages in: (set, source rank). */
    public final Section notifyOutIn;
    /** Scale-out notify messages to send: (set, node). */
    public final Section notifyOutOut;
    /** Scale-up notify messages in: (set, source local rank). */
    public final Section notifyUpIn;
    /** Scale-up notify messages to send: (set, local rank). */
    public final Section notifyUpOut;
    /** What ranks of the node expose to this one: (set, local rank). */
    public final Section clearToSendIn;
    /** What this rank exposes to them: (set, local rank). */
    public final Section clearToSendOut;
    /** Metadata blocks of other nodes' streams that this rank relays: (stream, slot). */
    public final Section blocksIn;
    /** Metadata blocks to send to other nodes: (channel, node, slot). */
    public final Section blocksOut;
    /** Metadata blocks of the own streams that stay in the node: (channel, slot). */
    public final Section blocksOwn;
    /** Metadata blocks handed on by ranks whose memory cannot be read in place: (channel, relay, stream, slot). */
    public final Section blocksUpIn;
    /** Dispatch scale-out rings, where rows are forwarded from: (stream, slot). */
    public final Section payloadIn;
    /** Where rows of other nodes come in: {@link #payloadIn}, or its host block where they are staged. */
    public final Section wirePayloadIn;
    /** Where rows that are staged are gathered, in the payload's memory: (channel, node, slot). */
    public final Section payloadPacked;
    /** Where they leave from in host memory: (channel, node, slot). */
    public final Section payloadOut;
    /** Dispatch scale-up rings: (channel, relay, stream, slot). */
    public final Section payloadUpIn;
    /** Combine scale-up rings: (channel, expert's local rank, stream, slot). */
    public final Section rowsUpIn;
    /** Send buffer of them, where expert-major rows are summed first: (channel, relay, stream, slot). */
    public final Section rowsUpOut;
    /** Weights of the combine scale-up rings. */
    public final Section weightsUpIn;
    /** Send buffer of them. */
    public final Section weightsUpOut;
    /** Combine scale-out rings, partial sums, where they are summed at home: (channel, node, slot). */
    public final Section partialsIn;
    /** Send buffer of them, where row kernels sum: (stream, slot). */
    public final Section partialsOut;
    /** Where partial sums of other nodes come in: {@link #partialsIn}, or its host block where they are staged. */
    public final Section wirePartialsIn;
    /** Where partial sums leave from: {@link #partialsOut}, or its host block where they are staged. */
    public final Section wirePartialsOut;
    /** Weights of the combine scale-out rings: (channel, node, slot). */
    public final Section partialWeightsIn;
    /** Send buffer of them: (stream, slot). */
    public final Section partialWeightsOut;
    /** Heads that producers load, scale-out: (signal index of the head). */
    public final Section headsOut;
    /** Heads that producers load, scale-up: (signal index of the head). */
    public final Section headsUp;
    /** Where loaded heads arrive: (signal index of the head), scale-out then scale-up. */
    public final Section loadedHeads;
    /** The rank that this one waits for, exported by the scale-out transport for peers to load. */
    public final Section statusOut;
    /** As above, exported by the scale-up transport. */
    public final Section statusUp;
    /** Where a peer's status arrives. */
    public final Section loadedStatus;

    /**
     * Lay out, without memory yet.
     *
     * @param isStaged whether the scale-out transport moves the payload from and to host memory.
     */
    public ArenaMap(final Geometry geometry, final boolean isStaged)
    {
        this.geometry = geometry;
        this.isStaged = isStaged;
        final long c = geometry.channels();
        final long n = geometry.nodes();
        final long g = geometry.mostLocals();
        final boolean isWide = n > 1;
        final long streams = c * geometry.streams();
        final long rings = isWide ? streams : 0;
        final long homes = isWide ? c * n : 0;
        final long up = g * streams;
        final long outSlots = geometry.outRing();
        final long upSlots = geometry.subRing();
        final long block = MetadataBlock.stride(geometry);
        notifyOutIn = host(Stage.SCALE_OUT, Access.REMOTE, isWide ? (long)SETS * geometry.world().size() : 0,
            CountsMessage.outStride(geometry));
        notifyOutOut = host(Stage.SCALE_UP, Access.LOCAL, SETS * n, CountsMessage.outStride(geometry));
        notifyUpIn = host(Stage.SCALE_UP, Access.REMOTE, SETS * g, CountsMessage.upStride(geometry));
        notifyUpOut = host(Stage.SCALE_UP, Access.LOCAL, SETS * g, CountsMessage.upStride(geometry));
        clearToSendIn = host(Stage.SCALE_UP, Access.REMOTE, SETS * g, ClearToSend.stride(geometry));
        clearToSendOut = host(Stage.SCALE_UP, Access.LOCAL, SETS * g, ClearToSend.stride(geometry));
        blocksIn = host(Stage.SCALE_OUT, Access.REMOTE, rings * MetadataBlock.SLOTS, block);
        blocksOut = host(Stage.SCALE_UP, Access.LOCAL, homes * MetadataBlock.SLOTS, block);
        blocksOwn = host(Stage.SCALE_UP, Access.REMOTE, c * MetadataBlock.SLOTS, block);
        blocksUpIn = host(Stage.SCALE_UP, Access.REMOTE, up * MetadataBlock.SLOTS, block);
        weightsUpIn = host(Stage.SCALE_UP, Access.REMOTE, up * upSlots, geometry.weightStride());
        weightsUpOut = host(Stage.SCALE_UP, Access.LOCAL, up * upSlots, geometry.weightStride());
        partialWeightsIn = host(Stage.SCALE_OUT, Access.REMOTE, homes * outSlots, geometry.weightStride());
        partialWeightsOut = host(Stage.SCALE_UP, Access.LOCAL, rings * outSlots, geometry.weightStride());
        headsOut = host(Stage.SCALE_OUT, Access.REMOTE, SignalMap.outCount(geometry), WORD_STRIDE);
        headsUp = host(Stage.SCALE_UP, Access.REMOTE, SignalMap.upCount(geometry), WORD_STRIDE);
        loadedHeads = host(Stage.SCALE_UP, Access.LOCAL,
            SignalMap.outCount(geometry) + SignalMap.upCount(geometry), WORD_STRIDE);
        statusOut = host(Stage.SCALE_OUT, Access.REMOTE, 1, StatusPage.BYTES);
        statusUp = host(Stage.SCALE_UP, Access.REMOTE, 1, StatusPage.BYTES);
        loadedStatus = host(Stage.SCALE_UP, Access.LOCAL, 1, StatusPage.BYTES);
        payloadIn = payload(
            isStaged ? Stage.SCALE_UP : Stage.SCALE_OUT, Access.REMOTE, rings * outSlots, geometry.payloadStride());
        wirePayloadIn = !isStaged ? payloadIn :
            wire(Stage.SCALE_OUT, Access.REMOTE, rings * outSlots, geometry.payloadStride());
        // What is staged is put to the own rank, and thus exported. Host memory of a device's transport is pinned.
        payloadPacked = payload(
            Stage.SCALE_UP, Access.LOCAL, isStaged ? homes * outSlots : 0, geometry.payloadStride());
        payloadOut = wire(Stage.SCALE_UP, isStaged ? Access.REMOTE : Access.LOCAL,
            isStaged ? homes * outSlots : 0, geometry.payloadStride());
        payloadUpIn = payload(Stage.SCALE_UP, Access.REMOTE, up * upSlots, geometry.payloadStride());
        rowsUpIn = payload(Stage.SCALE_UP, Access.REMOTE, up * upSlots, geometry.payloadStride());
        rowsUpOut = payload(Stage.SCALE_UP, Access.LOCAL, up * upSlots, geometry.payloadStride());
        partialsIn = payload(
            isStaged ? Stage.SCALE_UP : Stage.SCALE_OUT, Access.REMOTE, homes * outSlots, geometry.partialStride());
        partialsOut = payload(Stage.SCALE_UP, Access.LOCAL, rings * outSlots, geometry.partialStride());
        wirePartialsIn = !isStaged ? partialsIn :
            wire(Stage.SCALE_OUT, Access.REMOTE, homes * outSlots, geometry.partialStride());
        wirePartialsOut = !isStaged ? partialsOut :
            wire(Stage.SCALE_UP, Access.REMOTE, rings * outSlots, geometry.partialStride());
    }

    /** Whether rows that change nodes are copied to host memory and back. */
    public boolean isStaged()
    {
        return isStaged;
    }

    /** All arenas by id. */
    public List<Arena> arenas()
    {
        return arenas;
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
