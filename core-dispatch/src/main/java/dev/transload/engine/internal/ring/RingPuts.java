/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import dev.transload.engine.internal.connect.Connection;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;

/**
 * Slots of a ring here on their way to the same slots of a ring at one peer: one put for each plane of a chunk, two
 * where it goes round the ring's end. To this rank itself, rows change memory.
 */
public final class RingPuts extends ChunkPuts
{
    private final int slots;
    private final long[] from = new long[PLANES];
    private final long[] to = new long[PLANES];
    private final long[] stride = new long[PLANES];
    private final long[] length = new long[PLANES];
    private int plane;
    private int first;
    private int next;
    private int end;

    /**
     * To one peer.
     *
     * @param isStaging whether rows only change memory within this rank, which counts apart.
     */
    public RingPuts(final Connection connection, final int slots, final boolean isStaging)
    {
        super(connection, isStaging);
        this.slots = slots;
    }

    /** A call begins; nothing is under way. */
    public void begin()
    {
        reset();
        first = 0;
        next = 0;
        end = 0;
    }

    /**
     * Choose a plane for the call.
     *
     * @param source      region, null to leave the plane out.
     * @param sourceStart offset of slot 0 there.
     * @param targetStart offset of slot 0 there.
     * @param slotStride  distance of slots at both ends.
     * @param rowBytes    bytes of a slot that are sent.
     */
    public void use(
        final int index, final MemoryRegion source, final long sourceStart, final RemoteRegion target,
        final long targetStart, final long slotStride, final long rowBytes)
    {
        sources[index] = source;
        targets[index] = target;
        from[index] = sourceStart;
        to[index] = targetStart;
        stride[index] = slotStride;
        length[index] = null == source ? 0 : rowBytes;
    }

    /** Whether a chunk can begin: the one before is accepted. */
    public boolean isFree()
    {
        return !isActive() && released.hasRoom();
    }

    /**
     * Begin a chunk of rows behind those before.
     *
     * @param count        of rows, at most the slots.
     * @param index        of the signal that tells of them.
     * @param bytesInPlace which need no put and count as moved with them.
     */
    public int send(final int count, final int index, final long toAdd, final long bytesInPlace)
    {
        first = end;
        next = end;
        end += count;
        plane = 0;
        begin(index, toAdd, count, bytesInPlace);
        return advance();
    }

    @Override
    boolean hasNext()
    {
        while (plane < PLANES && (0 == length[plane] || next == end))
        {
            plane++;
            next = first;
        }

        return plane < PLANES;
    }

    @Override
    boolean put()
    {
        final int slot = next % slots;
        final int count = Math.min(end - next, slots - slot);
        final long size = (count - 1) * stride[plane] + length[plane];
        final long position = connection().channel().put(sources[plane], from[plane] + slot * stride[plane],
            targets[plane], to[plane] + slot * stride[plane], size);
        if (!connection().isAccepted(position))
        {
            return false;
        }

        sourcePosition = position;
        moved(count * length[plane]);
        next += count;
        return true;
    }

    @Override
    void accepted()
    {
        released.add(sourcePosition, end);
    }

    /** Rows that were sent. */
    public int sent()
    {
        return end;
    }

    /** Rows whose sources nothing reads any more. */
    public int released()
    {
        return (int)settled();
    }
}
