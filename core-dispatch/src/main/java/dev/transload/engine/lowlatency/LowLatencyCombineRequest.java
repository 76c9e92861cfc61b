/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.Tensor;
import dev.transload.kernels.DeviceQueue;
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
    private DeviceQueue queue;

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
     * @param dispatch    result of the dispatch, received, or sent where devices do the steps; released when the
     *                    combine has been received.
     * @param x           [L·R, hidden] BF16 of the payload's memory kind: row i answers row i that was received.
     *                    Sent from where it is: of {@link LowLatencyEngine#allocateAnswers} or the rows of an output;
     *                    where threads do the steps, of {@link LowLatencyEngine#allocatePayload}, or registered.
     * @param topkWeights [T, K] F32: weights of this rank's tokens; in host memory, or, where devices do the steps, of
     *                    the payload's kind.
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
     * Whose work on the device comes before and behind this call's, also while it is captured into a graph; needs
     * {@link LowLatencyEngine#isByDevice()}. Unless said here, it is a queue of the engine's: tensors must be ready,
     * and what is written is there once it is received.
     *
     * @param deviceQueue e.g. a CUDA stream.
     * @return this.
     */
    public LowLatencyCombineRequest queue(final DeviceQueue deviceQueue)
    {
        this.queue = deviceQueue;
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

    /**
     * Whose work comes before and behind.
     *
     * @return queue, null for one of the engine's.
     */
    public DeviceQueue queue()
    {
        return queue;
    }
}
