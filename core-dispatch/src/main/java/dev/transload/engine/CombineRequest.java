/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.kernels.ForeignEvent;
import java.time.Duration;

/**
 * Input of a combine. The caller builds a request and passes it to {@link Engine#combine}. The tensors of the request
 * must not change until the call completes.
 * <p>
 * In the shapes of tensors, T is the number of tokens of this rank, K the number of experts that a token selects, and R
 * the number of rows that the dispatch delivered to this rank.
 */
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
     * Creates a request that sends expert rows back to the source ranks of the tokens.
     *
     * @param handle handle of the dispatch that delivered the rows.
     * @param x      [R, hidden] BF16 of the payload's memory kind: the answers, in the order in which the dispatch
     *               delivered the rows. In rank-major layout, row r is this rank's answer for delivered row r. In
     *               expert-major layout, row r is one expert's answer for delivered row r. In this layout, this rank
     *               sums the answers of the local experts of each token in F32, in ascending order of top-k positions,
     *               rounds the sum to BF16 and sends it.
     * @return request.
     */
    public static CombineRequest of(final DispatchHandle handle, final Tensor x)
    {
        return new CombineRequest(handle, x);
    }

    /**
     * Sets weights that the combine sums in addition to the rows.
     *
     * @param weights [R, K] F32 as delivered by the dispatch (K = 1 in expert-major layout), in host memory or on the
     *                payload's device. Either all ranks set weights, or none does.
     * @return this.
     */
    public CombineRequest topkWeights(final Tensor weights)
    {
        this.topkWeights = weights;
        return this;
    }

    /**
     * Sets one or two biases that the combine adds to the sums on this rank.
     *
     * @param first  [T, hidden] BF16 or null.
     * @param second [T, hidden] BF16 or null; must be null if {@code first} is null.
     * @return this.
     */
    public CombineRequest biases(final Tensor first, final Tensor second)
    {
        this.bias0 = first;
        this.bias1 = second;
        return this;
    }

    /**
     * Sets the tensors for the result. If no tensors are set, the engine allocates the tensors.
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
     * Sets an event that the device work of this call waits for. Rows, biases and outputs in device memory need not be
     * ready before the event: the engine neither reads nor writes these tensors before the event. This wait counts
     * towards the deadline of the call.
     *
     * @param event event of the payload's kind and device, e.g. recorded on the stream that produces the rows.
     * @return this.
     */
    public CombineRequest waitFor(final ForeignEvent event)
    {
        this.waitFor = event;
        return this;
    }

    /**
     * Sets an event that the engine records after all device work of this call and before the call completes. If the
     * call fails, the engine does not record the event.
     *
     * @param event event of the payload's kind and device.
     * @return this.
     */
    public CombineRequest record(final ForeignEvent event)
    {
        this.record = event;
        return this;
    }

    /**
     * Sets the deadline of this call, counted from its start. If no deadline is set, the configured deadline applies.
     *
     * @param duration length of time, must be positive.
     * @return this.
     */
    public CombineRequest timeout(final Duration duration)
    {
        this.timeout = duration;
        return this;
    }

    /**
     * Returns the handle of the dispatch that delivered the rows.
     *
     * @return handle.
     */
    public DispatchHandle handle()
    {
        return handle;
    }

    /**
     * Returns the expert rows.
     *
     * @return [R, hidden].
     */
    public Tensor x()
    {
        return x;
    }

    /**
     * Returns the weights to sum.
     *
     * @return [R, K] or null.
     */
    public Tensor topkWeights()
    {
        return topkWeights;
    }

    /**
     * Returns the first bias.
     *
     * @return [T, hidden] or null.
     */
    public Tensor bias0()
    {
        return bias0;
    }

    /**
     * Returns the second bias.
     *
     * @return [T, hidden] or null.
     */
    public Tensor bias1()
    {
        return bias1;
    }

    /**
     * Returns the tensor for the combined rows.
     *
     * @return [T, hidden], null if the engine allocates it.
     */
    public Tensor output()
    {
        return output;
    }

    /**
     * Returns the tensor for the combined weights.
     *
     * @return [T, K], null if the engine allocates it or if no weights are combined.
     */
    public Tensor outputWeights()
    {
        return outputWeights;
    }

    /**
     * Returns the event that the device work of this call waits for.
     *
     * @return event or null.
     */
    public ForeignEvent waitFor()
    {
        return waitFor;
    }

    /**
     * Returns the event that the engine records after the device work of this call.
     *
     * @return event or null.
     */
    public ForeignEvent record()
    {
        return record;
    }

    /**
     * Returns the deadline of this call.
     *
     * @return duration, null if the configured deadline applies.
     */
    public Duration timeout()
    {
        return timeout;
    }
}
