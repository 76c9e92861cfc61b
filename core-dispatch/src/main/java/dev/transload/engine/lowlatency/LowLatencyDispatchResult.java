/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

/**
 * Result of a low-latency dispatch. {@link LowLatencyEngine#dispatch} sends rows and returns this object, and
 * {@link #receive()} then receives rows. A result is open until its combine has been received or the result is closed;
 * two results may be open at a time. The engine has two objects of this class and uses them alternately.
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
     * Waits for the rows of all ranks and packs them. A program can do other work between sending and receiving, and
     * then call this method. A rank that does not send in time is masked, and the result has no rows from it. If the
     * rows have already been received, this method returns at once.
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
     * Returns whether the rows have been received.
     *
     * @return true after {@link #receive()}, or after a dispatch that also receives, until the result is released.
     */
    public boolean isReceived()
    {
        return Exchange.Phase.RECEIVED.compareTo(exchange.phase()) <= 0;
    }

    /**
     * Returns the number of this dispatch, which is equal on all ranks.
     *
     * @return number; the first dispatch has number 1.
     */
    public long call()
    {
        return exchange.call();
    }

    /**
     * Returns the output that holds the received rows.
     *
     * @return output of the request.
     */
    public LowLatencyOutput output()
    {
        return exchange.request().output();
    }

    /**
     * Returns whether the rows of a rank are part of this result.
     *
     * @param rank number of the rank.
     * @return false if the rank was masked before its rows arrived.
     */
    public boolean isActive(final int rank)
    {
        return rank == calls.rank() || exchange.isReceived(rank);
    }

    /**
     * Returns the lost rows of the output, which a rank should have written but did not, because the rank was lost
     * during the call. If threads run the steps, no rows are lost, since only rows that arrived are packed. If devices
     * run the steps, {@link LowLatencyOutput#count()} includes the lost rows, and their content is undefined. Experts
     * may skip or process lost rows, since no rank reads the answers to them. The returned value is valid after
     * {@link #receive()}.
     *
     * @param localExpert index of the local expert, in [0, L), where L is the number of local experts.
     * @param source      masked rank that should have written the rows.
     * @return first row (high 32 bits) and number of rows (low 32 bits), in the format of
     *         {@link LowLatencyOutput#layoutRange()}; 0 if there are none.
     */
    public long lostRows(final int localExpert, final int source)
    {
        return exchange.lostRows(localExpert, source);
    }

    /**
     * Returns the number of selections of this rank's tokens that were left out because their expert ids are not
     * allowed. Only selections in device memory are counted. An id is not allowed if it is at least the number of
     * experts, or if the token has already selected the expert. An id below 0 means no selection and is not counted.
     * The number is valid after {@link #receive()}.
     *
     * @return number of selections.
     */
    public int badIds()
    {
        return exchange.badIds();
    }

    /**
     * Releases the result without a combine. If one rank releases a result without a combine, all ranks must do the
     * same for this dispatch. If the rows have not been received, this method waits for them. If the result is already
     * released, the method does nothing.
     */
    @Override
    public void close()
    {
        calls.release(this);
    }

    /**
     * Releases the result, whether or not there is a combine, without waiting for the device. The caller must ensure
     * that later calls run after the submitted work of this result, for example by using the same queue. The numbers of
     * selections that were left out are not available after this method. If threads run the steps, this method receives
     * the combine, or acts like {@link #close()} if there is no combine. If the result is already released, the method
     * does nothing.
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
