/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

/**
 * Result of a low-latency combine. {@link LowLatencyEngine#combine} sends answers and returns this object, and
 * {@link #receive()} then receives answers. The engine has two objects of this class, one for each of its two
 * {@link LowLatencyDispatchResult} objects, and reuses them.
 */
public final class LowLatencyCombineResult
{
    private final Calls calls;
    private final Exchange exchange;

    LowLatencyCombineResult(final Calls calls, final Exchange exchange)
    {
        this.calls = calls;
        this.exchange = exchange;
    }

    /**
     * Waits for all answers and sums them. A program can do other work between sending and receiving, and then call
     * this method. A rank that does not answer in time is masked, and the answers of its experts are left out of the
     * sums. This method releases the result of the dispatch.
     *
     * @return this.
     * @throws dev.transload.engine.CallFailedException if ranks made different calls, or the device failed.
     */
    public LowLatencyCombineResult receive()
    {
        calls.receive(this);
        return this;
    }

    /**
     * Returns the number of selections of this rank's tokens that were left out of the sums because the rank of the
     * selected expert is masked. The number is valid after {@link #receive()}.
     *
     * @return number of selections; 0 if all ranks answered.
     */
    public int leftOut()
    {
        return exchange.leftOut();
    }

    /**
     * Returns whether a selection was left out of the sums. The returned value is valid after {@link #receive()}.
     *
     * @param token index of the token, in [0, T), where T is the number of tokens of this rank.
     * @param k     index of the selection, in [0, K), where K is the number of selections of a token.
     * @return true if the rank of the selected expert is masked.
     */
    public boolean isLeftOut(final int token, final int k)
    {
        return exchange.isLeftOut(token, k);
    }

    Exchange exchange()
    {
        return exchange;
    }
}
