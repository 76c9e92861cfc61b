/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/**
 * Ordered stream of one-sided operations to one peer, the unit of ordering and of failure.
 * <p>
 * Operations never block, never allocate, and return the new {@link #position()} or a negative status. Positions count
 * operations, one per row for {@link #putRows}. Misuse (a range, a region, a thread) throws at once and has no effect;
 * a full queue or a lost peer does not throw. Nothing is ordered without a {@link #fence()} or a {@link #signal}.
 */
public interface Channel extends AutoCloseable
{
    /** No room, or a fence drains: call {@link Worker#progress()} and retry. */
    long BACK_PRESSURED = -1;

    /** Handshake not finished: progress and retry. */
    long NOT_CONNECTED = -2;

    /** Closed locally. */
    long CLOSED = -3;

    /** Terminal; see {@link #failure()}. */
    long FAILED = -4;

    /**
     * Rank of the peer.
     *
     * @return rank.
     */
    int peer();

    /**
     * Handshake finished.
     *
     * @return true once operations are accepted; stays true after a failure.
     */
    boolean isConnected();

    /**
     * One-sided write.
     *
     * @param src       unchanged until {@link #releasedPosition()} reaches the result.
     * @param srcOffset in src.
     * @param dst       imported by this channel's worker from this channel's peer.
     * @param dstOffset in dst.
     * @param length    in bytes, may be 0.
     * @return new position or a negative status.
     */
    long put(MemoryRegion src, long srcOffset, RemoteRegion dst, long dstOffset, long length);

    /**
     * Write rows [from, from + count) of a list; accepts a prefix: the result minus the position before says how many.
     *
     * @param src   region of the list's source offsets.
     * @param dst   region of the list's destination offsets.
     * @param rows  offsets and row length; entries unchanged until released, as the source.
     * @param from  first row.
     * @param count of rows, may be 0.
     * @return new position, or a negative status when no row was accepted.
     */
    long putRows(MemoryRegion src, RemoteRegion dst, RowList rows, int from, int count);

    /**
     * One-sided read; the target is valid once {@link #deliveredPosition()} reaches the result. Aligned 8-byte words
     * are read whole.
     *
     * @param src       imported by this channel's worker from this channel's peer.
     * @param srcOffset in src.
     * @param dst       local region.
     * @param dstOffset in dst.
     * @param length    in bytes, may be 0.
     * @return new position or a negative status.
     */
    long load(RemoteRegion src, long srcOffset, MemoryRegion dst, long dstOffset, long length);

    /**
     * Add to a signal of the peer.
     *
     * @param dst   imported by this channel's worker from this channel's peer.
     * @param index of the signal.
     * @param delta positive.
     * @return new position or a negative status.
     */
    long atomicAdd(RemoteSignals dst, int index, long delta);

    /**
     * Add to a signal of the peer, released: the add becomes visible behind all operations of this channel that were
     * accepted before it, as behind a {@link #fence()}. Later operations do not wait for it (rule ORD-8), unlike for a
     * fence with an {@link #atomicAdd(RemoteSignals, int, long)} behind it.
     * <p>
     * By default it is that fence and that add, which holds later operations back. A transport that has something
     * cheaper overrides it. The default counts two operations, and a refused or misused one may have fenced, which is
     * harmless.
     *
     * @param dst   imported by this channel's worker from this channel's peer.
     * @param index of the signal.
     * @param delta positive.
     * @return new position or a negative status.
     */
    default long signal(final RemoteSignals dst, final int index, final long delta)
    {
        final long fenced = fence();
        return fenced < 0 ? fenced : atomicAdd(dst, index, delta);
    }

    /**
     * Add to a 64-bit word of an ordinary region of the peer.
     *
     * @param dst       imported by this channel's worker from this channel's peer.
     * @param dstOffset in dst, a multiple of 8.
     * @param delta     any.
     * @return new position or a negative status.
     * @throws UnsupportedCapabilityException without {@link Capability#REGION_ATOMICS}.
     */
    long atomicAdd(RemoteRegion dst, long dstOffset, long delta);

    /**
     * Order, without waiting: every earlier operation of this channel becomes visible at the peer before any later one
     * (rule ORD-2).
     *
     * @return new position or a negative status.
     */
    long fence();

    /**
     * Have {@link #deliveredPosition()} reach the result, and with it all earlier operations.
     *
     * @return new position or a negative status.
     */
    long flush();

    /**
     * Let later operations of this channel read local memory only once row kernels completed a position. A later fence
     * or signal comes after that position, too, and so after what the kernels stored through windows (rule WIN-4).
     *
     * @param kernels  queue whose output will be sent.
     * @param position returned by it.
     * @return the unchanged position of this channel, or a negative status: {@link #BACK_PRESSURED} where the
     * transport cannot chain to these kernels and they are not done yet.
     */
    long startAfter(WorkQueue kernels, long position);

    /**
     * Last accepted operation.
     *
     * @return count of accepted operations.
     */
    long position();

    /**
     * All operations up to here no longer read local memory or row lists.
     *
     * @return cumulative position; advances by {@link Worker#progress()}.
     */
    long releasedPosition();

    /**
     * All operations up to here are visible at the peer, and all loads up to here have arrived.
     *
     * @return cumulative position; certain to advance only by {@link #flush()} and {@link Worker#progress()}.
     */
    long deliveredPosition();

    /**
     * Why operations return {@link #FAILED}.
     *
     * @return cause, or null while there is none.
     */
    TransportException failure();

    /**
     * Stops using local memory on return and discards what is undelivered: a dead peer's channel is revoked, not
     * flushed (rule CLS-2). Idempotent.
     */
    @Override
    void close();
}
