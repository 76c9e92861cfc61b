/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.kernels.ForeignEvent;
import java.time.Duration;

/**
 * Input of a dispatch. The caller builds a request and passes it to {@link Engine#dispatch}. The tensors of the request
 * must not change until the call completes.
 * <p>
 * In the shapes of tensors, T is the number of tokens of this rank, and K the number of experts that a token selects.
 */
public final class DispatchRequest
{
    private final Tensor x;
    private Tensor xScales;
    private Tensor topkIdx;
    private Tensor topkWeights;
    private int experts;
    private int expertAlignment;
    private OutputLayout layout;
    private OutputAllocator allocator;
    private DispatchOutput output;
    private DispatchHandle handle;
    private Duration timeout;
    private ForeignEvent waitFor;
    private ForeignEvent record;

    private DispatchRequest(final Tensor x)
    {
        this.x = x;
    }

    /**
     * Creates a request that sends BF16 rows.
     *
     * @param x [T, hidden] BF16 of the payload's memory kind, where hidden is a multiple of 8.
     * @return request.
     */
    public static DispatchRequest of(final Tensor x)
    {
        return new DispatchRequest(x);
    }

    /**
     * Creates a request that sends FP8 rows with their scales.
     *
     * @param x       [T, hidden] F8_E4M3 of the payload's memory kind, where hidden is a multiple of 128.
     * @param xScales [T, hidden/128] F32 of the payload's memory kind.
     * @return request.
     */
    public static DispatchRequest of(final Tensor x, final Tensor xScales)
    {
        final DispatchRequest request = new DispatchRequest(x);
        request.xScales = xScales;
        return request;
    }

    /**
     * Sets the experts that each token selected. A request that reuses an earlier dispatch (see {@link #cached}) must
     * have neither selections nor weights.
     *
     * @param idx         [T, K] I64, in host memory or on the payload's device: experts in [0, numExperts), −1 for no
     *                    selection. A token must not select an expert twice.
     * @param weights     [T, K] F32, in host memory or on the payload's device, or null for zeros.
     * @param numExperts  E, number of experts; the engine pads it to a multiple of the number of ranks.
     * @return this.
     */
    public DispatchRequest topk(final Tensor idx, final Tensor weights, final int numExperts)
    {
        this.topkIdx = idx;
        this.topkWeights = weights;
        this.experts = numExperts;
        return this;
    }

    /**
     * Reuses the layout and counts of an earlier dispatch. Either all ranks reuse the same dispatch, each with its own
     * handle, or none does. The new dispatch delivers only rows and scales: selections, weights and source tokens are
     * the same as in the earlier dispatch. If the caller provides an output, the metadata tensors of the output may be
     * null, and the dispatch does not change them.
     *
     * @param cached handle of the earlier dispatch.
     * @return this.
     */
    public DispatchRequest cached(final DispatchHandle cached)
    {
        this.handle = cached;
        return this;
    }

    /**
     * Sets the order of the delivered rows. The order must be equal on all ranks. If no order is set, the configured
     * order applies, or, if the request reuses an earlier dispatch, the order of that dispatch. No other order is then
     * allowed.
     *
     * @param order order of the rows.
     * @return this.
     */
    public DispatchRequest layout(final OutputLayout order)
    {
        this.layout = order;
        return this;
    }

    /**
     * Sets the alignment of the number of rows of each local expert. {@link DispatchResult#rowsPerExpert()} reports
     * this number rounded up to a multiple of the alignment. In expert-major layout, rows of zeros fill the difference;
     * in rank-major layout, no rows are added. The alignment must be equal on all ranks.
     *
     * @param rows alignment in rows, positive. If no alignment is set, the configured alignment applies, or, if the
     *             request reuses an earlier dispatch, the alignment of that dispatch. No other alignment is then
     *             allowed.
     * @return this.
     */
    public DispatchRequest expertAlignment(final int rows)
    {
        this.expertAlignment = rows;
        return this;
    }

    /**
     * Sets the allocator of the output. The engine calls the allocator when the size of the output is known. If neither
     * an allocator nor an output is set, the engine allocates the output.
     *
     * @param outputs allocator.
     * @return this.
     */
    public DispatchRequest allocator(final OutputAllocator outputs)
    {
        this.allocator = outputs;
        return this;
    }

    /**
     * Sets an output that is large enough for the worst case. The result has the actual number of rows.
     *
     * @param tensors tensors with room for the largest number of rows that can arrive.
     * @return this.
     */
    public DispatchRequest output(final DispatchOutput tensors)
    {
        this.output = tensors;
        return this;
    }

    /**
     * Sets an event that the device work of this call waits for. Rows, scales, top-k tensors and outputs in device
     * memory need not be ready before the event: the engine neither reads nor writes these tensors before the event.
     * This wait counts towards the deadline of the call.
     *
     * @param event event of the payload's kind and device, e.g. recorded on the stream that produces the rows.
     * @return this.
     */
    public DispatchRequest waitFor(final ForeignEvent event)
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
    public DispatchRequest record(final ForeignEvent event)
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
    public DispatchRequest timeout(final Duration duration)
    {
        this.timeout = duration;
        return this;
    }

    /**
     * Returns the rows to send.
     *
     * @return [T, hidden].
     */
    public Tensor x()
    {
        return x;
    }

    /**
     * Returns the scales of FP8 rows.
     *
     * @return [T, hidden/128], null for BF16 rows.
     */
    public Tensor xScales()
    {
        return xScales;
    }

    /**
     * Returns the experts that each token selected.
     *
     * @return [T, K], null if the request reuses an earlier dispatch.
     */
    public Tensor topkIdx()
    {
        return topkIdx;
    }

    /**
     * Returns the weights of the selections.
     *
     * @return [T, K], null if no weights were set or if the request reuses an earlier dispatch.
     */
    public Tensor topkWeights()
    {
        return topkWeights;
    }

    /**
     * Returns the number of experts.
     *
     * @return number of experts, 0 if the request reuses an earlier dispatch.
     */
    public int experts()
    {
        return experts;
    }

    /**
     * Returns the alignment of the number of rows of each local expert.
     *
     * @return alignment in rows, 0 if none was set.
     */
    public int expertAlignment()
    {
        return expertAlignment;
    }

    /**
     * Returns the order of the delivered rows.
     *
     * @return order, null if none was set.
     */
    public OutputLayout layout()
    {
        return layout;
    }

    /**
     * Returns the allocator of the output.
     *
     * @return allocator, null if none was set.
     */
    public OutputAllocator allocator()
    {
        return allocator;
    }

    /**
     * Returns the output that the caller provided.
     *
     * @return tensors, null if an allocator or the engine provides them.
     */
    public DispatchOutput output()
    {
        return output;
    }

    /**
     * Returns the handle of the earlier dispatch that this request reuses.
     *
     * @return handle, null if the request reuses no dispatch.
     */
    public DispatchHandle handle()
    {
        return handle;
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
