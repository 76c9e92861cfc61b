/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.Tensor;
import java.time.Duration;

/**
 * Input of a low-latency combine. Its tensors stay unchanged until {@link LowLatencyCombineResult#receive()} has
 * returned; a request may be handed in again with the same result object.
 */
public final class LowLatencyCombineRequest
{
    private final LowLatencyDispatchResult dispatch;
    private final Tensor x;
    private final Tensor topkWeights;
    private final Tensor output;
    private Duration timeout;

    private LowLatencyCombineRequest(
        final LowLatencyDispatchResult dispatch, final Tensor x, final Tensor topkWeights, final Tensor output)
    {
        this.dispatch = dispatch;
        this.x = x;
        this.topkWeights = topkWeights;
        this.output = output;
    }

    /**
     * Answers of this rank's experts, and where the combined tokens go.
     *
     * @param dispatch    result of the dispatch, received; it is released when the combine has been received.
     * @param x           [L·R, hidden] BF16 of the payload's memory kind: row i answers row i that was received. Sent
     *                    from where it is: memory of {@link LowLatencyEngine#allocatePayload}, or registered.
     * @param topkWeights [T, K] F32 host: weights of this rank's tokens.
     * @param output      [T, hidden] BF16 of the payload's memory kind.
     * @return request.
     */
    public static LowLatencyCombineRequest of(
        final LowLatencyDispatchResult dispatch, final Tensor x, final Tensor topkWeights, final Tensor output)
    {
        return new LowLatencyCombineRequest(dispatch, x, topkWeights, output);
    }

    /**
     * How long a rank is waited for, sending and receiving each, before it is masked; the configured time unless said
     * here.
     *
     * @param duration positive.
     * @return this.
     */
    public LowLatencyCombineRequest timeout(final Duration duration)
    {
        this.timeout = duration;
        return this;
    }

    /**
     * Result of the dispatch.
     *
     * @return result.
     */
    public LowLatencyDispatchResult dispatch()
    {
        return dispatch;
    }

    /**
     * Answers of this rank's experts.
     *
     * @return [L·R, hidden] BF16.
     */
    public Tensor x()
    {
        return x;
    }

    /**
     * Weights of this rank's tokens.
     *
     * @return [T, K] F32.
     */
    public Tensor topkWeights()
    {
        return topkWeights;
    }

    /**
     * Where the combined tokens go.
     *
     * @return [T, hidden] BF16.
     */
    public Tensor output()
    {
        return output;
    }

    /**
     * Timeout of a wait.
     *
     * @return duration, null for the configured one.
     */
    public Duration timeout()
    {
        return timeout;
    }
}
