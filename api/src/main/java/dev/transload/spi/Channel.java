/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/**
 * A sequence of one-sided operations to one peer. Order and failure are defined for each channel separately.
 * <p>
 * Operations never block and never allocate. An operation returns the new {@link #position()} or a negative status. The
 * position counts operations; {@link #putRows} counts one for each row. An operation with a wrong range or region, or
 * on a wrong thread, throws an exception and has no effect. A full queue and a lost peer are reported by a status, not
 * by an exception. Operations may become visible in any order, unless a {@link #fence()} or a {@link #signal} orders
 * them.
 */
public interface Channel extends AutoCloseable
{
    /** The queue is full, or an earlier fence has not completed: call {@link Worker#progress()} and retry. */
    long BACK_PRESSURED = -1;

    /** The channel is not connected yet: call {@link Worker#progress()} and retry. */
    long NOT_CONNECTED = -2;

    /** The channel was closed on this rank. */
    long CLOSED = -3;

    /** The channel has failed for good; see {@link #failure()}. */
    long FAILED = -4;

    /**
     * Returns the rank of the peer.
     *
     * @return rank.
     */
    int peer();

    /**
     * Returns whether the channel has been connected.
     *
     * @return true if the channel was connected at some time, even if it has failed since.
     */
    boolean isConnected();

    /**
     * Writes bytes to the peer.
     *
     * @param src       source region. The bytes to write must not change until {@link #releasedPosition()} reaches the
     *                  returned position.
     * @param srcOffset byte offset in {@code src}.
     * @param dst       target region, which this channel's worker imported from this channel's peer.
     * @param dstOffset byte offset in {@code dst}.
     * @param length    number of bytes, 0 or more.
     * @return new position or a negative status.
     */
    long put(MemoryRegion src, long srcOffset, RemoteRegion dst, long dstOffset, long length);

    /**
     * Writes rows [from, from + count) of a list to the peer. The channel may accept fewer rows than requested,
     * beginning with the first row. The number of accepted rows is the returned position minus the position before the
     * call.
     *
     * @param src   region to which the source offsets of the list refer.
     * @param dst   region to which the destination offsets of the list refer.
     * @param rows  list that holds the offsets of the rows and the row length. The list's entries and the source rows
     *              must not change until {@link #releasedPosition()} reaches the returned position.
     * @param from  index of the first row.
     * @param count number of rows, 0 or more.
     * @return new position, or a negative status if no row was accepted.
     */
    long putRows(MemoryRegion src, RemoteRegion dst, RowList rows, int from, int count);

    /**
     * Reads bytes of the peer. The bytes are in the target once {@link #deliveredPosition()} has reached the returned
     * position. Each aligned 8-byte word is read without tearing.
     *
     * @param src       source region, which this channel's worker imported from this channel's peer.
     * @param srcOffset byte offset in {@code src}.
     * @param dst       local target region.
     * @param dstOffset byte offset in {@code dst}.
     * @param length    number of bytes, 0 or more.
     * @return new position or a negative status.
     */
    long load(RemoteRegion src, long srcOffset, MemoryRegion dst, long dstOffset, long length);

    /**
     * Adds to a signal of the peer.
     *
     * @param dst   signals that this channel's worker imported from this channel's peer.
     * @param index index of the signal.
     * @param delta value to add, positive.
     * @return new position or a negative status.
     */
    long atomicAdd(RemoteSignals dst, int index, long delta);

    /**
     * Adds to a signal of the peer with release semantics. The add becomes visible after all operations that this
     * channel accepted before it, like an {@link #atomicAdd(RemoteSignals, int, long)} after a {@link #fence()}. Later
     * operations need not wait for the signal, whereas they would wait for a fence (rule ORD-8).
     * <p>
     * The default implementation is a fence followed by an add, so later operations do wait for this fence. A transport
     * that has a cheaper way overrides this method. The default implementation counts as two operations. If the add is
     * refused or has wrong arguments, the fence may already have been accepted. Such a fence is harmless.
     *
     * @param dst   signals that this channel's worker imported from this channel's peer.
     * @param index index of the signal.
     * @param delta value to add, positive.
     * @return new position or a negative status.
     */
    default long signal(final RemoteSignals dst, final int index, final long delta)
    {
        final long fenced = fence();
        return fenced < 0 ? fenced : atomicAdd(dst, index, delta);
    }

    /**
     * Adds to a 64-bit word of an ordinary region of the peer.
     *
     * @param dst       region that this channel's worker imported from this channel's peer.
     * @param dstOffset byte offset in {@code dst}, a multiple of 8.
     * @param delta     value to add, which may be negative.
     * @return new position or a negative status.
     * @throws UnsupportedCapabilityException if the transport does not offer {@link Capability#REGION_ATOMICS}.
     */
    long atomicAdd(RemoteRegion dst, long dstOffset, long delta);

    /**
     * Orders operations without waiting: all earlier operations of this channel become visible at the peer before any
     * later operation (rule ORD-2).
     *
     * @return new position or a negative status.
     */
    long fence();

    /**
     * Requests remote completion of all earlier operations: {@link #deliveredPosition()} then advances to the returned
     * position.
     *
     * @return new position or a negative status.
     */
    long flush();

    /**
     * Delays later operations of this channel: they read local memory only after row kernels have completed their work
     * up to a position. Later fences and signals also wait for this work. They therefore take effect after all stores
     * that this work makes through windows (rule WIN-4).
     *
     * @param kernels  work queue whose output will be sent.
     * @param position position of the work queue up to which its work must be complete.
     * @return the unchanged position of this channel, or a negative status. The status is {@link #BACK_PRESSURED} if
     *         the kernels have not completed and the transport cannot delay the operations until they complete.
     */
    long startAfter(WorkQueue kernels, long position);

    /**
     * Returns the position of the last accepted operation.
     *
     * @return number of accepted operations.
     */
    long position();

    /**
     * Returns the position up to which operations no longer read local memory or row lists.
     *
     * @return cumulative position; {@link Worker#progress()} advances it.
     */
    long releasedPosition();

    /**
     * Returns the position up to which operations are visible at the peer and loads have arrived.
     *
     * @return cumulative position. This position is certain to advance only if {@link #flush()} was called and
     *         {@link Worker#progress()} is called afterwards.
     */
    long deliveredPosition();

    /**
     * Returns the reason why operations return {@link #FAILED}.
     *
     * @return cause of the failure, or null if the channel has not failed.
     */
    TransportException failure();

    /**
     * Closes the channel and discards undelivered operations. After this method returns, the channel no longer uses
     * local memory. This method does not flush the channel, since a flush to a dead peer would never complete (rule
     * CLS-2). Idempotent.
     */
    @Override
    void close();
}
