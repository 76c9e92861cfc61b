/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.RowList;
import org.agrona.UnsafeApi;

/**
 * Channel to memory that the calling thread reads and writes directly. An operation is complete when its call returns,
 * so the accepted and completed positions are equal. A subclass implements copies and atomic adds. All addresses that
 * are passed to the subclass have been checked.
 */
public abstract class CopyChannel extends CheckedChannel
{
    /**
     * Creates a channel that is not connected.
     *
     * @param worker      worker to which the channel belongs.
     * @param id          ID of the channel, unique within the transport of this rank.
     * @param identity    identity of the peer, taken from the peer's worker address.
     * @param incarnation incarnation that the peer must have; see {@link dev.transload.spi.Worker#connect}.
     */
    protected CopyChannel(
        final AbstractWorker worker, final int id, final PeerIdentity identity, final long incarnation)
    {
        super(worker, id, identity, incarnation);
    }

    /**
     * Copies bytes. Words of 8 bytes are written atomically if {@code src} and {@code dst} are multiples of 8 (rule
     * PUT-4). Aligned 8-byte words of the source are read atomically (rule LOAD-2), unless the subclass overrides
     * {@link #copyBack}. {@link WordCopy} satisfies both rules.
     *
     * @param src    address of the first byte to read.
     * @param dst    address of the first byte to write.
     * @param length length in bytes, at least 0.
     */
    protected abstract void copy(long src, long dst, long length);

    /**
     * Copies rows, as {@link RowCopy} does.
     *
     * @param src  source address, to which the list's source offsets are added.
     * @param dst  destination address, to which the list's destination offsets are added.
     * @param rows list of offsets, with the length of a row.
     * @param from index of the first entry.
     * @param end  index after the last entry.
     */
    protected abstract void copyRows(long src, long dst, RowList rows, int from, int end);

    /**
     * Adds a value to a word. The add is atomic with respect to other adds to the word. The add has release ordering:
     * earlier copies are visible before the add.
     *
     * @param word  address of the word, a multiple of 8.
     * @param delta value to add.
     */
    protected abstract void add(long word, long delta);

    /**
     * Copies bytes from the peer for a load (rule LOAD-2). The default implementation calls {@link #copy}. A subclass
     * must override this method if its {@link #copy} may, for speed, read a word in several parts.
     *
     * @param src    address of the first byte to read.
     * @param dst    address of the first byte to write.
     * @param length length in bytes, at least 0.
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

    /**
     * Adds a value to a signal. The add needs no fence before it, because all earlier operations are already complete
     * and the add itself has release ordering.
     */
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

    /**
     * Executes a fence. The fence also orders stores that were made through windows, without this channel (rule WIN-4).
     */
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
