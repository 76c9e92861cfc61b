/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

/** A low-latency combine: sent, and to be received. The object is used again by the combine after the next. */
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
     * Wait for all answers and sum them: the hook of a combine whose sending and receiving are split. Ranks that do not
     * answer in time are masked, and their experts' answers left out. Releases the dispatch's result.
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
     * How many selections of this rank's tokens are not in the sums, since their experts' ranks are masked.
     *
     * @return count, 0 if all ranks answered; once it has been received.
     */
    public int leftOut()
    {
        return exchange.leftOut();
    }

    /**
     * Whether a selection was left out.
     *
     * @param token in [0, T).
     * @param k     in [0, K).
     * @return true if the expert's rank is masked; once it has been received.
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
