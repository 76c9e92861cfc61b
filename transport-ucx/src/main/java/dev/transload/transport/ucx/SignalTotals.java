/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.transport.base.RegionDescriptor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BufferUtil;

/**
 * What the signals of a peer come to, for the one channel that adds to some of them by writing their totals: laid out
 * as the signals are, read from there before the first add. UCX reads and writes it while operations are under way, so
 * the channel holds it until it is closed.
 */
final class SignalTotals
{
    private final int id;
    private final ByteBuffer words;
    private final long[] positions;
    private boolean isAsked;
    private boolean isKnown;

    SignalTotals(final int id, final int count)
    {
        this.id = id;
        words = ByteBuffer.allocateDirect(Math.multiplyExact(count, RegionDescriptor.SIGNAL_STRIDE))
            .order(ByteOrder.nativeOrder());
        positions = new long[count];
    }

    /** Of the signals, unique to the peer's transport. */
    int id()
    {
        return id;
    }

    long address()
    {
        return BufferUtil.address(words);
    }

    int length()
    {
        return words.capacity();
    }

    /** Whether the peer's words are being read. */
    boolean isAsked()
    {
        return isAsked;
    }

    void markAsked()
    {
        isAsked = true;
    }

    /** Whether the peer's words are here. */
    boolean isKnown()
    {
        return isKnown;
    }

    void markKnown()
    {
        isKnown = true;
    }

    /** Of the channel, when the signal was written last. */
    long position(final int index)
    {
        return positions[index];
    }

    /**
     * Add, once the last write of the signal is done.
     *
     * @param index    of the signal.
     * @param delta    to add.
     * @param position of the channel that the write will have.
     * @return address of the total, to be put.
     */
    long add(final int index, final long delta, final long position)
    {
        final int offset = index * RegionDescriptor.SIGNAL_STRIDE;
        words.putLong(offset, words.getLong(offset) + delta);
        positions[index] = position;
        return address() + offset;
    }
}
