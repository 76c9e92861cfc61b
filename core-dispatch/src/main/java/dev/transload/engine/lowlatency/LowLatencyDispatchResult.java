/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

/**
 * A low-latency dispatch: sent, and to be received. Alive until its combine has been received, or it is closed; two
 * may be alive. The object is used again by the dispatch after the next.
 */
public final class LowLatencyDispatchResult implements AutoCloseable
{
    private final Calls calls;
    private final Exchange exchange;

    LowLatencyDispatchResult(final Calls calls, final Exchange exchange)
    {
        this.calls = calls;
        this.exchange = exchange;
    }

    /**
     * Wait for all ranks' rows and pack them: the hook of a dispatch whose sending and receiving are split. A rank that
     * does not send in time is masked and counts as one that sent none. Nothing to do where it was received.
     *
     * @return this.
     * @throws dev.transload.engine.CallFailedException if ranks made different calls, or the device failed.
     */
    public LowLatencyDispatchResult receive()
    {
        calls.receive(this);
        return this;
    }

    /**
     * Whether rows have been received.
     *
     * @return true once {@link #receive()} has returned, or a dispatch that receives at once, until the result is
     *         released.
     */
    public boolean isReceived()
    {
        return Exchange.Phase.RECEIVED.compareTo(exchange.phase()) <= 0;
    }

    /**
     * Number of this dispatch, the same on all ranks.
     *
     * @return ascending from 1.
     */
    public long call()
    {
        return exchange.call();
    }

    /**
     * Where the rows are.
     *
     * @return output of the request.
     */
    public LowLatencyOutput output()
    {
        return exchange.request().output();
    }

    /**
     * Whether a rank's tokens are part of the result.
     *
     * @param rank asked for.
     * @return false if it was masked before they came.
     */
    public boolean isActive(final int rank)
    {
        return rank == calls.rank() || exchange.isReceived(rank);
    }

    /**
     * Rows of the output that were to come from a rank and have not, since it was lost meanwhile. Where threads do the
     * steps there are none: rows are packed without those. Where devices do, {@code count} spans them, and what they
     * hold is undefined; experts may skip them or take them as they are, since nobody reads the answers to them.
     *
     * @param localExpert in [0, L).
     * @param source      rank that is not active.
     * @return first row (high 32 bits) and number of rows (low 32 bits), as {@link LowLatencyOutput#layoutRange()} has
     *         them; 0 for none; once it has been received.
     */
    public long lostRows(final int localExpert, final int source)
    {
        return exchange.lostRows(localExpert, source);
    }

    /**
     * Selections of this rank's tokens that were left out, since their ids lie in device memory and are not allowed:
     * not in [0, E), or selected by their token already. Those below 0 are no selections.
     *
     * @return count; once it has been received.
     */
    public int badIds()
    {
        return exchange.badIds();
    }

    /**
     * Release the result without a combine, which all ranks must do then. Waits for rows that were not received yet.
     * Nothing to do once it is released.
     */
    @Override
    public void close()
    {
        calls.release(this);
    }

    /**
     * Release the result, combined or not, without waiting for what was submitted for it: later calls come behind that
     * where their queues do, as those of one stream. Nobody learns what was left out. Where threads do the steps it is
     * {@link #close()}, or receives the combine. Nothing to do once it is released.
     */
    public void detach()
    {
        calls.detach(this);
    }

    Exchange exchange()
    {
        return exchange;
    }
}
