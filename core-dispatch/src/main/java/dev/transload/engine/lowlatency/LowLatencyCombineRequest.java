/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.Tensor;
import dev.transload.kernels.DeviceQueue;
import java.time.Duration;

/**
 * Input of a low-latency combine. The tensors of the request must not change until
 * {@link LowLatencyCombineResult#receive()} has returned. A request can be used again to combine later dispatches if
 * these return the same {@link LowLatencyDispatchResult} object.
 * <p>
 * In shapes, T is the number of tokens of this rank, K is the number of selections of a token, and L·R is the number
 * of rows of a {@link LowLatencyOutput}.
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
     * Creates a request that sends the answers of this rank's experts and combines the answers to this rank's tokens.
     *
     * @param dispatch    result of the dispatch. The dispatch must have been received, unless devices run the steps.
     *                    Receiving the combine releases this result.
     * @param x           [L·R, hidden] BF16 of the payload's memory kind: row i is the answer to received row i.
     *                    Answers for far ranks are first copied to memory of the engine. The tensor is from
     *                    {@link LowLatencyEngine#allocateAnswers}, or is {@link LowLatencyOutput#x()} of an output. If
     *                    threads run the steps, the tensor may also be in memory from
     *                    {@link LowLatencyEngine#allocatePayload} or in registered memory.
     * @param topkWeights [T, K] F32: weights of this rank's tokens, in host memory. If devices run the steps, the
     *                    weights may also be in memory of the payload's kind.
     * @param output      [T, hidden] BF16 of the payload's memory kind, for the combined tokens.
     * @return request.
     */
    public static LowLatencyCombineRequest of(
        final LowLatencyDispatchResult dispatch, final Tensor x, final Tensor topkWeights, final Tensor output)
    {
        return new LowLatencyCombineRequest(dispatch, x, topkWeights, output);
    }

    /**
     * Sets how long the combine waits for a rank before it masks the rank. The timeout applies to sending and to
     * receiving separately. If no timeout is set, the configured timeout applies.
     *
     * @param duration longest wait; must be positive.
     * @return this.
     */
    public LowLatencyCombineRequest timeout(final Duration duration)
    {
        this.timeout = duration;
        return this;
    }

    /**
     * Sets the device queue to which this call is submitted. The call starts after earlier work of the queue, and later
     * work of the queue starts after the call. The queue may be captured into a graph. A queue may be set only if
     * {@link LowLatencyEngine#isByDevice()} is true. If no queue is set, the call uses a queue of the engine. In that
     * case, the tensors must be ready before the call, and the output is valid after {@code receive()}.
     *
     * @param deviceQueue queue of the device, e.g. a CUDA stream.
     * @return this.
     */
    public LowLatencyCombineRequest queue(final DeviceQueue deviceQueue)
    {
        this.queue = deviceQueue;
        return this;
    }

    /**
     * Returns the result of the dispatch that this combine answers.
     *
     * @return result of the dispatch.
     */
    public LowLatencyDispatchResult dispatch()
    {
        return dispatch;
    }

    /**
     * Returns the answers of this rank's experts.
     *
     * @return [L·R, hidden] BF16.
     */
    public Tensor x()
    {
        return x;
    }

    /**
     * Returns the weights of this rank's tokens.
     *
     * @return [T, K] F32.
     */
    public Tensor topkWeights()
    {
        return topkWeights;
    }

    /**
     * Returns the tensor for the combined tokens.
     *
     * @return [T, hidden] BF16.
     */
    public Tensor output()
    {
        return output;
    }

    /**
     * Returns how long the combine waits for a rank before it masks the rank.
     *
     * @return duration, null if the configured timeout applies.
     */
    public Duration timeout()
    {
        return timeout;
    }

    /**
     * Returns the device queue to which this call is submitted.
     *
     * @return queue, null if the call uses a queue of the engine.
     */
    public DeviceQueue queue()
    {
        return queue;
    }
}
