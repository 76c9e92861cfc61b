/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.Tensor;
import dev.transload.kernels.DeviceQueue;
import dev.transload.kernels.ScaleFormat;
import java.time.Duration;

/**
 * Input of a low-latency dispatch. The tensors of the request must not change until
 * {@link LowLatencyDispatchResult#receive()} has returned. A request can be used again for later dispatches.
 * <p>
 * In shapes, T is the number of tokens of this rank, and K is the number of selections of a token.
 */
public final class LowLatencyDispatchRequest
{
    private final Tensor x;
    private final Tensor topkIdx;
    private final int experts;
    private final LowLatencyOutput output;
    private ScaleFormat scaleFormat = ScaleFormat.AMAX;
    private Duration timeout;
    private DeviceQueue queue;
    private boolean isAtOnce;

    private LowLatencyDispatchRequest(
        final Tensor x, final Tensor topkIdx, final int experts, final LowLatencyOutput output)
    {
        this.x = x;
        this.topkIdx = topkIdx;
        this.experts = experts;
        this.output = output;
    }

    /**
     * Creates a request that sends this rank's rows to their experts and receives the rows for this rank's experts.
     *
     * @param x       [T, hidden] BF16 of the payload's memory kind; T is at most {@code max-tokens}, and hidden is a
     *                multiple of 128. Rows for near ranks are sent from this tensor without a copy, unless they are
     *                cast to FP8. Rows for far ranks are first copied to memory of the engine.
     * @param topkIdx [T, K] I64 or I32: experts in [0, experts), −1 for no selection. A token must not select an expert
     *                twice. The tensor is in host memory; if devices run the steps, it may also be in memory of the
     *                payload's kind. Invalid selections in device memory are left out, and
     *                {@link LowLatencyDispatchResult#badIds()} counts them.
     * @param experts E, number of experts, which the engine pads to a multiple of the number of ranks. E, hidden and
     *                the type of the output must be equal on all ranks.
     * @param output  output for the rows of this rank's experts. The output must not belong to another open result. The
     *                content of the output is undefined from the dispatch until the result has been received.
     * @return request.
     */
    public static LowLatencyDispatchRequest of(
        final Tensor x, final Tensor topkIdx, final int experts, final LowLatencyOutput output)
    {
        return new LowLatencyDispatchRequest(x, topkIdx, experts, output);
    }

    /**
     * Sets how scales are chosen if the output is FP8. The format must be equal on all ranks; the default is
     * {@link ScaleFormat#AMAX}.
     *
     * @param format format of the scales.
     * @return this.
     */
    public LowLatencyDispatchRequest scaleFormat(final ScaleFormat format)
    {
        this.scaleFormat = format;
        return this;
    }

    /**
     * Sets how long the dispatch waits for a rank before it masks the rank. The timeout applies to sending and to
     * receiving separately. If no timeout is set, the configured timeout applies.
     *
     * @param duration longest wait; must be positive.
     * @return this.
     */
    public LowLatencyDispatchRequest timeout(final Duration duration)
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
    public LowLatencyDispatchRequest queue(final DeviceQueue deviceQueue)
    {
        this.queue = deviceQueue;
        return this;
    }

    /**
     * Makes the dispatch also receive: {@link LowLatencyEngine#dispatch} returns after the rows of all ranks are
     * packed, and {@code receive()} then returns at once. Ranks may choose this independently of each other.
     *
     * @return this.
     */
    public LowLatencyDispatchRequest atOnce()
    {
        this.isAtOnce = true;
        return this;
    }

    /**
     * Returns whether the dispatch also receives.
     *
     * @return true if {@link #atOnce()} was called.
     */
    public boolean isAtOnce()
    {
        return isAtOnce;
    }

    /**
     * Returns the rows to send.
     *
     * @return [T, hidden] BF16.
     */
    public Tensor x()
    {
        return x;
    }

    /**
     * Returns the experts that each token selected.
     *
     * @return [T, K] I64 or I32.
     */
    public Tensor topkIdx()
    {
        return topkIdx;
    }

    /**
     * Returns the number of experts.
     *
     * @return E.
     */
    public int experts()
    {
        return experts;
    }

    /**
     * Returns the output for received rows.
     *
     * @return output.
     */
    public LowLatencyOutput output()
    {
        return output;
    }

    /**
     * Returns how scales are chosen.
     *
     * @return format.
     */
    public ScaleFormat scaleFormat()
    {
        return scaleFormat;
    }

    /**
     * Returns how long the dispatch waits for a rank before it masks the rank.
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
