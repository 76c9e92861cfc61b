/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.Tensor;
import dev.transload.kernels.DeviceQueue;
import dev.transload.kernels.ScaleFormat;
import java.time.Duration;

/**
 * Input of a low-latency dispatch. Its tensors stay unchanged until {@link LowLatencyDispatchResult#receive()} has
 * returned; a request may be handed in again.
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
     * Rows to send, and where received ones go.
     *
     * @param x       [T, hidden] BF16 of the payload's memory kind, T at most {@code max-tokens}, hidden a multiple of
     *                128. Rows are sent from where they are, unless they are cast.
     * @param topkIdx [T, K] I64 or I32: experts in [0, experts), each at most once a token, −1 = no selection. In host
     *                memory; where devices do the steps, of the payload's kind too, where what is not allowed is left
     *                out ({@link LowLatencyDispatchResult#badIds()}).
     * @param experts E, padded up to a multiple of the ranks; equal on all ranks, as hidden and the output's type are.
     * @param output  for the rows of this rank's experts, not that of another result which is alive; undefined from
     *                the dispatch on until it has been received.
     * @return request.
     */
    public static LowLatencyDispatchRequest of(
        final Tensor x, final Tensor topkIdx, final int experts, final LowLatencyOutput output)
    {
        return new LowLatencyDispatchRequest(x, topkIdx, experts, output);
    }

    /**
     * How scales are chosen where the output is FP8; {@link ScaleFormat#AMAX} unless said here, equal on all ranks.
     *
     * @param format of the scales.
     * @return this.
     */
    public LowLatencyDispatchRequest scaleFormat(final ScaleFormat format)
    {
        this.scaleFormat = format;
        return this;
    }

    /**
     * How long a rank is waited for, sending and receiving each, before it is masked; the configured time unless said
     * here.
     *
     * @param duration positive.
     * @return this.
     */
    public LowLatencyDispatchRequest timeout(final Duration duration)
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
    public LowLatencyDispatchRequest queue(final DeviceQueue deviceQueue)
    {
        this.queue = deviceQueue;
        return this;
    }

    /**
     * Have the dispatch receive, too: it returns when the rows of all ranks are packed, and {@code receive()} has
     * nothing left to do. Each rank may choose for itself.
     *
     * @return this.
     */
    public LowLatencyDispatchRequest atOnce()
    {
        this.isAtOnce = true;
        return this;
    }

    /**
     * Whether the dispatch receives, too.
     *
     * @return true if it was asked for.
     */
    public boolean isAtOnce()
    {
        return isAtOnce;
    }

    /**
     * Rows.
     *
     * @return [T, hidden] BF16.
     */
    public Tensor x()
    {
        return x;
    }

    /**
     * Selections.
     *
     * @return [T, K] I64.
     */
    public Tensor topkIdx()
    {
        return topkIdx;
    }

    /**
     * Number of experts.
     *
     * @return E.
     */
    public int experts()
    {
        return experts;
    }

    /**
     * Where received rows go.
     *
     * @return output.
     */
    public LowLatencyOutput output()
    {
        return output;
    }

    /**
     * How scales are chosen.
     *
     * @return format.
     */
    public ScaleFormat scaleFormat()
    {
        return scaleFormat;
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
