/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.BadInputException;
import dev.transload.engine.Completion;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.OutputAllocator;
import dev.transload.engine.OutputShape;
import dev.transload.engine.Placement;
import dev.transload.engine.Tensor;
import dev.transload.engine.internal.plan.PlanHandle;
import dev.transload.engine.internal.plan.ReceiveLayout;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;
import dev.transload.kernels.Fp8;
import dev.transload.spi.MemoryRegion;
import java.time.Duration;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/** A dispatch: its inputs, and the output once the notifier has it. */
public final class DispatchCall extends Call implements Completion<DispatchResult>
{
    private static final int SLOT_ALIGNMENT = 16;

    private final Geometry geometry;
    private final PlanHandle handle;
    private final Tensor x;
    private final Tensor scales;
    private final UnsafeBuffer weights;
    private final DispatchOutput given;
    private final OutputAllocator allocator;
    private final Runnable drive;
    private final long[] arrivalsNs;
    private final int[] rowsPerExpert;
    private final int[] rankPrefixSum;
    private final long[] waitNs;
    private final OutputMetadata metadata = new OutputMetadata();
    private DispatchOutput brought;
    private DispatchOutput output;
    private boolean isExposed;
    private volatile boolean isOutputReady;
    private int rows;
    private int leftOut;

    /**
     * With checked inputs.
     *
     * @param handle    of a plan whose send layout is computed by the time the call begins.
     * @param experts   E, a multiple of P.
     * @param scales    of FP8 rows or null.
     * @param weights   [T, K] F32 or null for zeros.
     * @param given     output that the caller brought, or null.
     * @param allocator of the output where none is given.
     * @param drive     duty cycle for callers without engine threads, or null.
     */
    public DispatchCall(
        final Kind kind, final Geometry geometry, final PlanHandle handle, final int experts, final Tensor x,
        final Tensor scales, final Tensor weights, final DispatchOutput given, final OutputAllocator allocator,
        final long timeoutNs, final Runnable drive)
    {
        super(kind, handle.plan(), timeoutNs);
        this.handle = handle;
        this.geometry = geometry;
        this.x = x;
        this.scales = scales;
        this.weights = null == weights ? null : new UnsafeBuffer(weights.view());
        this.given = given;
        this.allocator = allocator;
        this.drive = drive;
        final int ranks = geometry.world().size();
        this.arrivalsNs = new long[geometry.channels() * ranks];
        this.rowsPerExpert = new int[experts / ranks];
        this.rankPrefixSum = new int[ranks];
        this.waitNs = new long[ranks];
    }

    /** Elements of a row. */
    public int hidden()
    {
        return x.columns();
    }

    @Override
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
     * Distance of rows in scale-out rings: a row and its scales, one behind the other.
     *
     * @return bytes.
     */
    public long slotBytes()
    {
        return Geometry.align(rowBytes() + (long)scaleBytes(), SLOT_ALIGNMENT);
    }

    /** Region of the rows. */
    public MemoryRegion rows(final Stage stage)
    {
        return region(x, stage);
    }

    /**
     * Offset of a row in its region.
     *
     * @return bytes.
     */
    public long rowOffset(final int token)
    {
        return x.offset() + token * x.rowBytes();
    }

    /**
     * Region of the scales.
     *
     * @return region, null unless FP8.
     */
    public MemoryRegion scales(final Stage stage)
    {
        return null == scales ? null : region(scales, stage);
    }

    /**
     * Offset of a row's scales in their region.
     *
     * @return bytes.
     */
    public long scaleOffset(final int token)
    {
        return scales.offset() + token * scales.rowBytes();
    }

    /**
     * Copy the weights of a token's selections, two at a time.
     *
     * @param address of K f32; 0 where none were given.
     */
    public void copyWeights(final int token, final long address)
    {
        final int bytes = plan().sendLayout().topk() * Float.BYTES;
        final long from = null == weights ? 0 : weights.addressOffset() + (long)token * bytes;
        int at = 0;
        for (; at <= bytes - Long.BYTES; at += Long.BYTES)
        {
            UnsafeApi.putLong(address + at, 0 == from ? 0 : UnsafeApi.getLong(from + at));
        }

        if (at < bytes)
        {
            UnsafeApi.putInt(address + at, 0 == from ? 0 : UnsafeApi.getInt(from + at));
        }
    }

    /**
     * The number of rows is known: have the output brought. What the caller brought is taken without allocating.
     */
    void allocateOutput()
    {
        final int topk = !hasMetadata() ? 0 : plan().isExpanded() ? 1 : plan().sendLayout().topk();
        brought = null != given ? given :
            allocator.allocate(new OutputShape(plan().rows(), x.columns(), x.type(), topk));
        if (null == brought)
        {
            throw new BadInputException("the output allocator returned null: must be tensors of " + plan().rows() +
                " rows or more");
        }

        OutputCheck.check(geometry.config(), brought, x.type(), plan().rows(), x.columns(), topk);
        output = hasMetadata() ? mirrors().output(brought, plan().rows()) : brought;
        if (hasMetadata())
        {
            metadata.wrap(output, geometry, plan().sendLayout().experts() / geometry.world().size());
        }

        isExposed = Placement.DIRECT == geometry.config().placement() && output.x().memory().isExposed() &&
            (null == output.xScales() || output.xScales().memory().isExposed());
        isOutputReady = true;
    }

    /**
     * Whether the rows have weights.
     *
     * @return false where those delivered are 0.
     */
    public boolean isWeighted()
    {
        return null != weights;
    }

    /**
     * Whether the output's metadata is delivered: a dispatch with a handle delivers rows and scales only.
     *
     * @return true unless it is cached.
     */
    public boolean hasMetadata()
    {
        return Kind.DISPATCH == kind();
    }

    /** Whether rows can be delivered. */
    public boolean isOutputReady()
    {
        return isOutputReady;
    }

    /** Nobody knows before the output stands where rows go, and which are the first ones of each source. */
    @Override
    public boolean isClearToSendKnown()
    {
        return isOutputReady;
    }

    @Override
    public boolean isExposed()
    {
        return isExposed;
    }

    @Override
    protected Tensor exposed(final int index)
    {
        return 0 == index ? output.x() : output.xScales();
    }

    @Override
    protected boolean isPaired()
    {
        return null != scales;
    }

    @Override
    public int starts(final Geometry sizes)
    {
        return sizes.relays().mostSources() *
            (plan().isExpanded() ? plan().sendLayout().experts() / sizes.world().size() : 1);
    }

    /** Region of the delivered rows, for row kernels. */
    public MemoryRegion outputRows()
    {
        return output.x().memory().scaleUpRegion();
    }

    /**
     * Offset of a delivered row.
     *
     * @return bytes.
     */
    public long outputOffset(final int row)
    {
        return output.x().offset() + row * output.x().rowBytes();
    }

    /** Region of the delivered scales, for row kernels. */
    public MemoryRegion outputScales()
    {
        return output.xScales().memory().scaleUpRegion();
    }

    /**
     * Offset of a delivered row's scales.
     *
     * @return bytes.
     */
    public long outputScaleOffset(final int row)
    {
        return output.xScales().offset() + row * output.xScales().rowBytes();
    }

    /**
     * Metadata of the delivered rows.
     *
     * @return part of the output, once that stands.
     */
    public OutputMetadata metadata()
    {
        return metadata;
    }

    /** All rows that a channel brings from a source rank have arrived. */
    public void arrived(final int channel, final int rank)
    {
        arrivalsNs[channel * geometry.world().size() + rank] = System.nanoTime() - startNs();
    }

    @Override
    protected void conclude()
    {
        final ReceiveLayout experts = plan().receiveLayout();
        for (int expert = 0; expert < rowsPerExpert.length; expert++)
        {
            rowsPerExpert[expert] = experts.rowsPerExpert(expert);
        }

        for (int rank = 0; rank < rankPrefixSum.length; rank++)
        {
            rankPrefixSum[rank] = experts.rankPrefix(rank);
            for (int channel = 0; channel < geometry.channels(); channel++)
            {
                waitNs[rank] = Math.max(waitNs[rank], arrivalsNs[channel * waitNs.length + rank]);
            }
        }

        rows = plan().rows();
        leftOut = plan().sendLayout().leftOut();
        plan().delivered(isExposed);
        handle.conclude();
    }

    @Override
    public boolean await(final Duration timeout)
    {
        return await(drive, timeout.toNanos());
    }

    @Override
    public DispatchResult await()
    {
        await(drive);
        return new DispatchResult(rows, brought, rowsPerExpert, rankPrefixSum, handle, waitNs, leftOut);
    }

    /**
     * How long each source rank had this rank wait, once the call ended well.
     *
     * @return nanoseconds.
     */
    public long waitNs(final int rank)
    {
        return waitNs[rank];
    }

    private static MemoryRegion region(final Tensor tensor, final Stage stage)
    {
        return Stage.SCALE_OUT == stage ? tensor.memory().scaleOutRegion() : tensor.memory().scaleUpRegion();
    }
}
