/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.RowList;
import org.agrona.UnsafeApi;

/**
 * A channel to memory that the calling thread reads and writes by itself: an operation is done when its call returns,
 * and the positions coincide. What it needs of a transport is how bytes are copied and words are added to; all methods
 * are called with addresses that have been checked.
 */
public abstract class CopyChannel extends CheckedChannel
{
    /**
     * Not connected.
     *
     * @param worker      that it belongs to.
     * @param id          unique to the transport of this rank.
     * @param identity    of the peer, as its address says.
     * @param incarnation of the peer that is meant.
     */
    protected CopyChannel(
        final AbstractWorker worker, final int id, final PeerIdentity identity, final long incarnation)
    {
        super(worker, id, identity, incarnation);
    }

    /**
     * Copy. Aligned words of 8 bytes are read whole (rule LOAD-2) and, between aligned addresses, written whole (rule
     * PUT-4), as {@link WordCopy} does.
     *
     * @param src    address of the first byte to read.
     * @param dst    address of the first byte to write.
     * @param length in bytes, may be 0.
     */
    protected abstract void copy(long src, long dst, long length);

    /**
     * Copy rows, as {@link RowCopy} does.
     *
     * @param src  address of the source, to which the list's source offsets are added.
     * @param dst  address of the destination, to which the list's destination offsets are added.
     * @param rows offsets and row length.
     * @param from first entry.
     * @param end  behind the last entry.
     */
    protected abstract void copyRows(long src, long dst, RowList rows, int from, int end);

    /**
     * Add to a word, atomically among all that add to it, and behind all that was copied before (a release).
     *
     * @param word  address, a multiple of 8.
     * @param delta to be added.
     */
    protected abstract void add(long word, long delta);

    /**
     * Copy from the peer: {@link #copy}, unless overridden where puts have a faster copy that reads words in pieces.
     *
     * @param src    address of the first byte to read.
     * @param dst    address of the first byte to write.
     * @param length in bytes, may be 0.
     */
    protected void copyBack(final long src, final long dst, final long length)
    {
        copy(src, dst, length);
    }

    @Override
    protected final long doPut(
        final LocalRegion src, final long srcOffset, final ImportedRegion dst, final long dstOffset, final long length)
    {
        copy(src.address() + srcOffset, dst.address() + dstOffset, length);
        return advance(1);
    }

    @Override
    protected final long doPutRows(
        final LocalRegion src, final ImportedRegion dst, final RowList rows, final int from, final int count)
    {
        copyRows(src.address(), dst.address(), rows, from, from + count);
        return advance(count);
    }

    @Override
    protected final long doLoad(
        final ImportedRegion src, final long srcOffset, final LocalRegion dst, final long dstOffset, final long length)
    {
        copyBack(src.address() + srcOffset, dst.address() + dstOffset, length);
        return advance(1);
    }

    @Override
    protected final long doAdd(final ImportedSignals dst, final int index, final long delta)
    {
        add(dst.address(index), delta);
        return advance(1);
    }

    /** All before it is done, and the add itself is a release. */
    @Override
    protected final long doSignal(final ImportedSignals dst, final int index, final long delta)
    {
        return doAdd(dst, index, delta);
    }

    @Override
    protected final long doAdd(final ImportedRegion dst, final long dstOffset, final long delta)
    {
        add(dst.address() + dstOffset, delta);
        return advance(1);
    }

    /** Also behind what was stored through windows without this channel (rule WIN-4). */
    @Override
    protected final long doFence()
    {
        UnsafeApi.fullFence();
        return advance(1);
    }

    @Override
    public final long releasedPosition()
    {
        return position();
    }

    @Override
    public final long deliveredPosition()
    {
        return position();
    }
}
