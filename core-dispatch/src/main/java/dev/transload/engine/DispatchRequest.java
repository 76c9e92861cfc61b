/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.kernels.ForeignEvent;
import java.time.Duration;

/** Input of a dispatch: build it, hand it to {@link Engine#dispatch}; its tensors stay unchanged until completion. */
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
     * BF16 rows.
     *
     * @param x [T, hidden] BF16 of the payload's memory kind, hidden a multiple of 8.
     * @return request.
     */
    public static DispatchRequest of(final Tensor x)
    {
        return new DispatchRequest(x);
    }

    /**
     * FP8 rows with their scales.
     *
     * @param x       [T, hidden] F8_E4M3 of the payload's memory kind, hidden a multiple of 128.
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
     * Routing decisions; left out when a handle is given.
     *
     * @param idx         [T, K] I64, in host memory or on the payload's device: experts in [0, numExperts),
     *                    −1 = no selection, no expert twice in a row.
     * @param weights     [T, K] F32, in host memory or on the payload's device, or null for zeros.
     * @param numExperts  E; padded up to a multiple of the ranks.
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
     * Cached mode: layout and counts of an earlier dispatch, which every rank must repeat with its own handle of it. It
     * delivers rows and scales only: selections, weights and source tokens are those that the earlier dispatch
     * delivered. Metadata tensors of an output that the caller brings may be null, and are left untouched.
     *
     * @param cached of the earlier dispatch.
     * @return this.
     */
    public DispatchRequest cached(final DispatchHandle cached)
    {
        this.handle = cached;
        return this;
    }

    /**
     * Order of the delivered rows; the configured one unless said here. Equal on all ranks.
     *
     * @param order of rows.
     * @return this.
     */
    public DispatchRequest layout(final OutputLayout order)
    {
        this.layout = order;
        return this;
    }

    /**
     * Rows per local expert are counted rounded up to this (and padded to it in expert-major layout).
     *
     * @param rows positive; the configured one unless said here. Equal on all ranks.
     * @return this.
     */
    public DispatchRequest expertAlignment(final int rows)
    {
        this.expertAlignment = rows;
        return this;
    }

    /**
     * What allocates the output once its size is known; the engine allocates unless said here.
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
     * A worst-case sized output; the number of rows comes with the result.
     *
     * @param tensors with room for all rows that may come.
     * @return this.
     */
    public DispatchRequest output(final DispatchOutput tensors)
    {
        this.output = tensors;
        return this;
    }

    /**
     * Let device work that makes the rows, scales, top-k and outputs of this call ready be under way still: nothing is
     * read from their device memory or written to it before the event has happened. The deadline runs meanwhile.
     *
     * @param event of the payload's kind and device, e.g. recorded on the stream that produces the rows.
     * @return this.
     */
    public DispatchRequest waitFor(final ForeignEvent event)
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
    public DispatchRequest record(final ForeignEvent event)
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
    public DispatchRequest timeout(final Duration duration)
    {
        this.timeout = duration;
        return this;
    }

    /**
     * Rows to send.
     *
     * @return [T, hidden].
     */
    public Tensor x()
    {
        return x;
    }

    /**
     * Scales of FP8 rows.
     *
     * @return [T, hidden/128] or null.
     */
    public Tensor xScales()
    {
        return xScales;
    }

    /**
     * Selected experts.
     *
     * @return [T, K] or null in cached mode.
     */
    public Tensor topkIdx()
    {
        return topkIdx;
    }

    /**
     * Weights of the selection.
     *
     * @return [T, K] or null, as in cached mode.
     */
    public Tensor topkWeights()
    {
        return topkWeights;
    }

    /**
     * Experts of the model.
     *
     * @return E, 0 in cached mode.
     */
    public int experts()
    {
        return experts;
    }

    /**
     * Alignment of counts.
     *
     * @return rows, 0 for the configured one.
     */
    public int expertAlignment()
    {
        return expertAlignment;
    }

    /**
     * Order of the delivered rows.
     *
     * @return order, null for the configured one.
     */
    public OutputLayout layout()
    {
        return layout;
    }

    /**
     * What allocates the output.
     *
     * @return allocator, null for the engine itself.
     */
    public OutputAllocator allocator()
    {
        return allocator;
    }

    /**
     * Output that the caller brought.
     *
     * @return tensors, null where the allocator brings them.
     */
    public DispatchOutput output()
    {
        return output;
    }

    /**
     * Handle of cached mode.
     *
     * @return handle or null.
     */
    public DispatchHandle handle()
    {
        return handle;
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
