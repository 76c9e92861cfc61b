/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.run;

import dev.transload.engine.Completion;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.OutputAllocator;
import dev.transload.engine.OutputShape;
import dev.transload.engine.Tensor;
import dev.transload.engine.memory.Geometry;
import dev.transload.engine.memory.Stage;
import dev.transload.engine.route.ExpertRoutes;
import dev.transload.engine.route.RouteTable;
import dev.transload.kernels.Fp8;
import dev.transload.spi.MemoryRegion;
import org.agrona.concurrent.UnsafeBuffer;

/** A dispatch: its inputs, and the output once the notifier has it. */
public final class DispatchCall extends Call implements Completion<DispatchResult>
{
    private final Geometry geometry;
    private final Tensor x;
    private final Tensor scales;
    private final UnsafeBuffer weights;
    private final OutputAllocator allocator;
    private final Runnable drive;
    private final long[] arrivalsNs;
    private final UnsafeBuffer outIdx = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer outWeights = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer outSource = new UnsafeBuffer(0, 0);
    private DispatchOutput output;
    private volatile boolean isOutputReady;
    private DispatchResult result;

    /**
     * With checked inputs.
     *
     * @param kind      DISPATCH or CACHED_DISPATCH.
     * @param geometry  sizes.
     * @param routes    with the home part computed.
     * @param x         rows.
     * @param scales    of FP8 rows or null.
     * @param weights   [T, K] F32 or null for zeros.
     * @param allocator of the output.
     * @param timeoutNs deadline from the start.
     * @param drive     duty cycle for callers without engine threads, or null.
     */
    public DispatchCall(
        final Kind kind, final Geometry geometry, final RouteTable routes, final Tensor x, final Tensor scales,
        final Tensor weights, final OutputAllocator allocator, final long timeoutNs, final Runnable drive)
    {
        super(kind, routes, timeoutNs);
        this.geometry = geometry;
        this.x = x;
        this.scales = scales;
        this.weights = null == weights ? null : new UnsafeBuffer(weights.view());
        this.allocator = allocator;
        this.drive = drive;
        this.arrivalsNs = new long[geometry.channels() * geometry.world().size()];
    }

    /**
     * Elements of a row.
     *
     * @return hidden.
     */
    public int hidden()
    {
        return x.columns();
    }

    /**
     * Bytes of a row's elements.
     *
     * @return bytes.
     */
    public int rowBytes()
    {
        return (int)x.rowBytes();
    }

    /**
     * Bytes of a row's scales.
     *
     * @return bytes, 0 unless FP8.
     */
    public int scaleBytes()
    {
        return null == scales ? 0 : Fp8.scales(x.columns()) * Float.BYTES;
    }

    /**
     * Region of the rows.
     *
     * @param stage whose transport reads them.
     * @return region.
     */
    public MemoryRegion rows(final Stage stage)
    {
        return region(x, stage);
    }

    /**
     * Offset of a row in its region.
     *
     * @param token index.
     * @return bytes.
     */
    public long rowOffset(final int token)
    {
        return x.offset() + token * x.rowBytes();
    }

    /**
     * Region of the scales.
     *
     * @param stage whose transport reads them.
     * @return region, null unless FP8.
     */
    public MemoryRegion scales(final Stage stage)
    {
        return null == scales ? null : region(scales, stage);
    }

    /**
     * Offset of a row's scales in their region.
     *
     * @param token index.
     * @return bytes.
     */
    public long scaleOffset(final int token)
    {
        return scales.offset() + token * scales.rowBytes();
    }

    /**
     * Weight of a selection.
     *
     * @param token index.
     * @param k     position among the top-k.
     * @return weight, 0 where none were given.
     */
    public float weight(final int token, final int k)
    {
        return null == weights ? 0f : weights.getFloat((token * routes().home().topk() + k) * Float.BYTES);
    }

    /**
     * The number of rows is known: have the output brought.
     */
    void allocateOutput()
    {
        final OutputShape shape = new OutputShape(
            routes().rows(), x.columns(), x.type(), routes().isExpanded() ? 1 : routes().home().topk());
        output = OutputCheck.check(allocator.allocate(shape), shape);
        outIdx.wrap(output.topkIdx().view());
        outWeights.wrap(output.topkWeights().view());
        outSource.wrap(output.srcTokenIdx().view());
        isOutputReady = true;
    }

    /**
     * Whether rows can be delivered.
     *
     * @return true once the output stands.
     */
    public boolean isOutputReady()
    {
        return isOutputReady;
    }

    /**
     * Region of the delivered rows, for row kernels.
     *
     * @return region.
     */
    public MemoryRegion outputRows()
    {
        return output.x().memory().scaleUpRegion();
    }

    /**
     * Offset of a delivered row.
     *
     * @param row index.
     * @return bytes.
     */
    public long outputOffset(final int row)
    {
        return output.x().offset() + row * output.x().rowBytes();
    }

    /**
     * Region of the delivered scales, for row kernels.
     *
     * @return region.
     */
    public MemoryRegion outputScales()
    {
        return output.xScales().memory().scaleUpRegion();
    }

    /**
     * Offset of a delivered row's scales.
     *
     * @param row index.
     * @return bytes.
     */
    public long outputScaleOffset(final int row)
    {
        return output.xScales().offset() + row * output.xScales().rowBytes();
    }

    /**
     * Deliver a selection.
     *
     * @param row    index.
     * @param k      position among the top-k, 0 for expert-major rows.
     * @param expert local, −1 for none.
     * @param weight 0 for none.
     */
    public void outputTopk(final int row, final int k, final int expert, final float weight)
    {
        final int at = row * output.topkIdx().columns() + k;
        outIdx.putLong(at * Long.BYTES, expert);
        outWeights.putFloat(at * Float.BYTES, weight);
    }

    /**
     * Deliver where a row comes from.
     *
     * @param row   index.
     * @param token on the source rank, −1 for padding.
     */
    public void outputSource(final int row, final int token)
    {
        outSource.putInt(row * Integer.BYTES, token);
    }

    /**
     * All rows that a channel brings from a source rank have arrived.
     *
     * @param channel lane.
     * @param rank    source.
     */
    public void arrived(final int channel, final int rank)
    {
        arrivalsNs[channel * geometry.world().size() + rank] = System.nanoTime() - startNs();
    }

    @Override
    protected void conclude()
    {
        final ExpertRoutes experts = routes().experts();
        final int ranks = geometry.world().size();
        final int[] perExpert = new int[experts.localExperts()];
        for (int expert = 0; expert < perExpert.length; expert++)
        {
            perExpert[expert] = experts.rowsPerExpert(expert);
        }

        final int[] prefix = new int[ranks];
        final long[] waitNs = new long[ranks];
        for (int rank = 0; rank < ranks; rank++)
        {
            prefix[rank] = experts.rankPrefix(rank);
            for (int channel = 0; channel < geometry.channels(); channel++)
            {
                waitNs[rank] = Math.max(waitNs[rank], arrivalsNs[channel * ranks + rank]);
            }
        }

        routes().conclude();
        result = new DispatchResult(routes().rows(), output, perExpert, prefix, routes(), waitNs);
    }

    @Override
    public DispatchResult await()
    {
        await(drive);
        return result;
    }

    /**
     * What was delivered.
     *
     * @return result of a call that ended well.
     */
    DispatchResult result()
    {
        return result;
    }

    private static MemoryRegion region(final Tensor tensor, final Stage stage)
    {
        return Stage.SCALE_OUT == stage ? tensor.memory().scaleOutRegion() : tensor.memory().scaleUpRegion();
    }
}
