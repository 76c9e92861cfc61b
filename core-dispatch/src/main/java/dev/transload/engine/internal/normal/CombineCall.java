/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.CombineResult;
import dev.transload.engine.Completion;
import dev.transload.engine.Tensor;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.plan.Plan;
import dev.transload.engine.internal.wire.Weights;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.spi.MemoryRegion;
import java.time.Duration;
import org.agrona.concurrent.UnsafeBuffer;

/** A combine: its inputs and its output. */
public final class CombineCall extends Call implements Completion<CombineResult>
{
    private final Tensor x;
    private final Tensor bias0;
    private final Tensor bias1;
    private final Tensor output;
    private final Tensor outputWeights;
    private final Tensor rowWeights;
    private final UnsafeBuffer weights;
    private final UnsafeBuffer outWeights;
    private final Runnable drive;
    private final boolean isExposed;

    /**
     * With checked inputs.
     *
     * @param weights       of them, or null.
     * @param bias0         first bias or null.
     * @param bias1         second bias or null.
     * @param outputWeights combined weights, or null.
     * @param hostWeights   the same in host memory, where they are written.
     * @param isReadInPlace whether ranks of the node read rows and weights where they are, if they can reach them.
     * @param drive         duty cycle for callers without engine threads, or null.
     */
    public CombineCall(
        final Plan plan, final Tensor x, final Tensor weights, final Tensor bias0, final Tensor bias1,
        final Tensor output, final Tensor outputWeights, final Tensor hostWeights, final boolean isReadInPlace,
        final long timeoutNs, final Runnable drive)
    {
        super(Kind.COMBINE, plan, timeoutNs);
        this.x = x;
        this.bias0 = bias0;
        this.bias1 = bias1;
        this.output = output;
        this.outputWeights = outputWeights;
        this.weights = null == weights ? null : new UnsafeBuffer(weights.view());
        this.outWeights = null == hostWeights ? null : new UnsafeBuffer(hostWeights.view());
        this.drive = drive;
        this.rowWeights = weights;
        this.isExposed = isReadInPlace && !plan.isExpanded() && x.memory().isReadable() &&
            (null == weights || weights.memory().isReadable());
    }

    @Override
    protected boolean isClearToSendKnown()
    {
        return true;
    }

    /** Expert-major rows of a token are summed by their own rank, which alone knows where they are. */
    @Override
    public boolean isExposed()
    {
        return isExposed;
    }

    /** Rows are read in place, which takes windows; both ends of a pair find the same. */
    @Override
    public boolean isExposedTo(final Connection connection, final ArenaMap map)
    {
        return isExposed && connection.hasWindow(map.rowsUpIn) && connection.hasWindow(map.weightsUpIn);
    }

    @Override
    protected Tensor exposed(final int index)
    {
        return 0 == index ? x : rowWeights;
    }

    @Override
    protected boolean isPaired()
    {
        return null != rowWeights;
    }

    @Override
    public int starts(final Geometry geometry)
    {
        return 0;
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
     * Bytes of a row's weights.
     *
     * @return bytes, 0 when none are combined.
     */
    public int weightBytes()
    {
        return null == weights ? 0 : plan().sendLayout().topk() * Float.BYTES;
    }

    /** Bytes of a partial sum. */
    public long sumBytes(final Geometry geometry)
    {
        return (long)hidden() * geometry.partialType().bytes();
    }

    /** Region of the expert rows. */
    public MemoryRegion rows()
    {
        return x.memory().scaleUpRegion();
    }

    /**
     * Offset of an expert row.
     *
     * @return bytes.
     */
    public long rowOffset(final int row)
    {
        return x.offset() + row * x.rowBytes();
    }

    /**
     * Weight of a delivered row.
     *
     * @param k position among the top-k, 0 for expert-major rows.
     */
    public float weight(final int row, final int k)
    {
        final int columns = plan().isExpanded() ? 1 : plan().sendLayout().topk();
        return weights.getFloat((row * columns + k) * Float.BYTES);
    }

    /**
     * A bias.
     *
     * @param index 0 or 1.
     * @return region for row kernels, or null.
     */
    public MemoryRegion bias(final int index)
    {
        final Tensor bias = 0 == index ? bias0 : bias1;
        return null == bias ? null : bias.memory().scaleUpRegion();
    }

    /**
     * Offset of a bias row.
     *
     * @param index 0 or 1.
     * @return bytes, 0 where there is no such bias.
     */
    public long biasOffset(final int index, final int token)
    {
        final Tensor bias = 0 == index ? bias0 : bias1;
        return null == bias ? 0 : bias.offset() + token * bias.rowBytes();
    }

    /** Region of the combined rows, for row kernels. */
    public MemoryRegion outputRows()
    {
        return output.memory().scaleUpRegion();
    }

    /**
     * Offset of a combined row.
     *
     * @return bytes.
     */
    public long outputOffset(final int token)
    {
        return output.offset() + token * output.rowBytes();
    }

    /**
     * Set a token's combined weights, if any are combined.
     *
     * @param values [K] sums.
     */
    public void outputWeights(final int token, final float[] values)
    {
        final int bytes = weightBytes();
        if (bytes > 0)
        {
            Weights.write(outWeights, token * bytes, bytes / Float.BYTES, values);
        }
    }

    @Override
    protected void conclude()
    {
        // The tensors are the result already.
    }

    @Override
    public boolean await(final Duration timeout)
    {
        return await(drive, timeout.toNanos());
    }

    @Override
    public CombineResult await()
    {
        await(drive);
        return new CombineResult(output, outputWeights, plan().sendLayout().leftOut());
    }
}
