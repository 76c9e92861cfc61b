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
     * Release the result without a combine, which all ranks must do then. Waits for rows that were not received yet.
     * Nothing to do once it is released.
     */
    @Override
    public void close()
    {
        calls.release(this);
    }

    Exchange exchange()
    {
        return exchange;
    }
}
