/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.kernels.ForeignEvent;
import java.time.Duration;

/** Input of a combine: build it, hand it to {@link Engine#combine}; its tensors stay unchanged until completion. */
public final class CombineRequest
{
    private final DispatchHandle handle;
    private final Tensor x;
    private Tensor topkWeights;
    private Tensor bias0;
    private Tensor bias1;
    private Tensor output;
    private Tensor outputWeights;
    private Duration timeout;
    private ForeignEvent waitFor;
    private ForeignEvent record;

    private CombineRequest(final DispatchHandle handle, final Tensor x)
    {
        this.handle = handle;
        this.x = x;
    }

    /**
     * Expert rows to bring home.
     *
     * @param handle of the dispatch that brought the rows here.
     * @param x      [R, hidden] BF16 of the payload's memory kind, rows in that dispatch's order; rank-major: row r is
     *               this rank's answer for delivered row r; expert-major: the answers of one token's local experts are
     *               summed in F32, top-k position ascending, and rounded to BF16 before they leave this rank.
     * @return request.
     */
    public static CombineRequest of(final DispatchHandle handle, final Tensor x)
    {
        return new CombineRequest(handle, x);
    }

    /**
     * Weights to sum up beside the rows.
     *
     * @param weights [R, K] F32 as delivered by the dispatch (K = 1 in expert-major layout), in host memory or on the
     *                payload's device; equal choice of giving or not giving them on all ranks.
     * @return this.
     */
    public CombineRequest topkWeights(final Tensor weights)
    {
        this.topkWeights = weights;
        return this;
    }

    /**
     * Rows to add at home.
     *
     * @param first  [T, hidden] BF16 or null.
     * @param second [T, hidden] BF16 or null; null when first is.
     * @return this.
     */
    public CombineRequest biases(final Tensor first, final Tensor second)
    {
        this.bias0 = first;
        this.bias1 = second;
        return this;
    }

    /**
     * Where the result goes; the engine allocates unless said here.
     *
     * @param rows    [T, hidden] BF16 of the payload's memory kind.
     * @param weights [T, K] F32, in host memory or on the payload's device, or null when no weights are combined.
     * @return this.
     */
    public CombineRequest output(final Tensor rows, final Tensor weights)
    {
        this.output = rows;
        this.outputWeights = weights;
        return this;
    }

    /**
     * Let device work that makes the rows, biases and outputs of this call ready be under way still: nothing is read
     * from their device memory or written to it before the event has happened. The deadline runs meanwhile.
     *
     * @param event of the payload's kind and device, e.g. recorded on the stream that produces the rows.
     * @return this.
     */
    public CombineRequest waitFor(final ForeignEvent event)
    {
        this.waitFor = event;
        return this;
    }

    /**
     * Have an event recorded behind all device work of this call, before the call is complete. It is not recorded
     * where the call fails.
     *
     * @param event of the payload's kind and device.
     * @return this.
     */
    public CombineRequest record(final ForeignEvent event)
    {
        this.record = event;
        return this;
    }

    /**
     * Deadline of this call, counted from when it starts; the configured one unless said here.
     *
     * @param duration positive.
     * @return this.
     */
    public CombineRequest timeout(final Duration duration)
    {
        this.timeout = duration;
        return this;
    }

    /**
     * Handle of the dispatch.
     *
     * @return handle.
     */
    public DispatchHandle handle()
    {
        return handle;
    }

    /**
     * Expert rows.
     *
     * @return [R, hidden].
     */
    public Tensor x()
    {
        return x;
    }

    /**
     * Weights.
     *
     * @return [R, K] or null.
     */
    public Tensor topkWeights()
    {
        return topkWeights;
    }

    /**
     * First bias.
     *
     * @return [T, hidden] or null.
     */
    public Tensor bias0()
    {
        return bias0;
    }

    /**
     * Second bias.
     *
     * @return [T, hidden] or null.
     */
    public Tensor bias1()
    {
        return bias1;
    }

    /**
     * Where the combined rows go.
     *
     * @return [T, hidden], null for the engine's allocation.
     */
    public Tensor output()
    {
        return output;
    }

    /**
     * Where the combined weights go.
     *
     * @return [T, K], null for the engine's allocation or none.
     */
    public Tensor outputWeights()
    {
        return outputWeights;
    }

    /**
     * What device work of this call waits for.
     *
     * @return event or null.
     */
    public ForeignEvent waitFor()
    {
        return waitFor;
    }

    /**
     * What is recorded behind it.
     *
     * @return event or null.
     */
    public ForeignEvent record()
    {
        return record;
    }

    /**
     * Deadline.
     *
     * @return duration, null for the configured one.
     */
    public Duration timeout()
    {
        return timeout;
    }
}
