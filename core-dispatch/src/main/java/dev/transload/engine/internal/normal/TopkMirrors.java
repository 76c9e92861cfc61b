/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.DispatchOutput;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.kernels.ForeignEvent;
import dev.transload.kernels.RowKernels;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * The top-k tensors of a call that lie on the payload's device: the engine works with mirrors of them in host memory.
 * What it reads is copied there when the call starts, what it wrote is copied back before the call ends, by the row
 * kernels of the thread that conducts. A call whose top-k is in host memory has nothing here and waits for nothing.
 */
public final class TopkMirrors
{
    private final Consumer<TopkMirrors> pool;
    private final List<TopkMirror> mirrors = new ArrayList<>();
    private final int[] sources = new int[Place.values().length];
    private int sourceCount;
    private final int[] targets = new int[Place.values().length];
    private int targetCount;
    private Runnable routing;
    private boolean isChained;
    private int submitted;
    private long firstPosition;
    private long position;

    /** Which of a call's tensors; each has a mirror of its own. */
    private enum Place
    {
        IDX, WEIGHTS, OUTPUT_IDX, OUTPUT_WEIGHTS, OUTPUT_SOURCES
    }

    /**
     * With nothing in it.
     *
     * @param allocator of host memory by bytes.
     * @param pool      which takes it back once its call has ended.
     */
    public TopkMirrors(final LongFunction<TensorMemory> allocator, final Consumer<TopkMirrors> pool)
    {
        this.pool = pool;
        for (int i = 0; i < Place.values().length; i++)
        {
            mirrors.add(new TopkMirror(allocator));
        }
    }

    /**
     * Take the selections of a dispatch.
     *
     * @param idx     [T, K] I64.
     * @param compute makes a send layout of what this returns: at once, or on the conducting thread once it is there.
     */
    public void route(final Tensor idx, final Consumer<Tensor> compute)
    {
        final Tensor here = source(Place.IDX, idx);
        if (here == idx)
        {
            compute.accept(here);
        }
        else
        {
            routing = () -> compute.accept(here);
        }
    }

    /**
     * Take weights that a call reads.
     *
     * @param weights of any kind, or null.
     * @return the same in host memory by the time the roles begin.
     */
    public Tensor weights(final Tensor weights)
    {
        return source(Place.WEIGHTS, weights);
    }

    /**
     * Take a dispatch's output.
     *
     * @param output whose metadata is of any kind.
     * @param rows   of it that will be written.
     * @return the same with metadata in host memory, which then has so many rows.
     */
    public DispatchOutput output(final DispatchOutput output, final int rows)
    {
        final Tensor idx = target(Place.OUTPUT_IDX, output.topkIdx(), rows);
        final Tensor weights = target(Place.OUTPUT_WEIGHTS, output.topkWeights(), rows);
        final Tensor sourceTokens = target(Place.OUTPUT_SOURCES, output.srcTokenIdx(), rows);
        return 0 == targetCount ? output :
            new DispatchOutput(output.x(), output.xScales(), idx, weights, sourceTokens);
    }

    /**
     * Take weights that a call writes.
     *
     * @param weights of any kind, or null.
     * @return where to write them in host memory.
     */
    public Tensor outputWeights(final Tensor weights)
    {
        return target(Place.OUTPUT_WEIGHTS, weights, null == weights ? 0 : weights.rows());
    }

    private Tensor source(final Place place, final Tensor tensor)
    {
        if (null == tensor || tensor.memory().kind().isHost())
        {
            return tensor;
        }

        sources[sourceCount++] = place.ordinal();
        return mirrors.get(place.ordinal()).of(tensor);
    }

    private Tensor target(final Place place, final Tensor tensor, final int rows)
    {
        if (null == tensor || tensor.memory().kind().isHost())
        {
            return tensor;
        }

        targets[targetCount++] = place.ordinal();
        return mirrors.get(place.ordinal()).of(tensor.firstRows(rows));
    }

    /**
     * Whether the roles can begin; called until they can, by the thread that conducts.
     *
     * @param event which the call waits for, or null.
     * @return true once what is read is in host memory, and routed.
     */
    boolean areSourcesReady(final RowKernels kernels, final ForeignEvent event)
    {
        if (0 == sourceCount)
        {
            return true;
        }

        isChained = isChained || null == event || kernels.waitFor(event) >= 0;
        if (!isChained || !isSubmitted(kernels, sources, sourceCount, Integer.MAX_VALUE, true))
        {
            return false;
        }

        // Selections come first, and are routed while weights are copied.
        if (null != routing && kernels.completedPosition() >= firstPosition)
        {
            final Runnable ready = routing;
            routing = null;
            ready.run();
        }

        if (null != routing || !isCopied(kernels))
        {
            return false;
        }

        sourceCount = 0;
        return true;
    }

    /** Submit the copies of what was written, as far as there is room; all of it stands by then. */
    void send(final RowKernels kernels, final int rows)
    {
        if (0 < targetCount)
        {
            isSubmitted(kernels, targets, targetCount, rows, false);
        }
    }

    /**
     * Whether the call can end; called until it can, once all roles are done.
     *
     * @param kernels of the thread that conducts, which has told them to wait for the call's event.
     * @param rows    of each tensor that were written.
     * @return true once they are on the device.
     */
    boolean areTargetsWritten(final RowKernels kernels, final int rows)
    {
        if (0 < targetCount && isSubmitted(kernels, targets, targetCount, rows, false) && isCopied(kernels))
        {
            targetCount = 0;
        }

        return 0 == targetCount;
    }

    private boolean isSubmitted(
        final RowKernels kernels, final int[] places, final int count, final int rows, final boolean isHome)
    {
        while (submitted < count)
        {
            if (!mirrors.get(places[submitted]).submit(kernels, rows, isHome))
            {
                return false;
            }

            position = kernels.position();
            if (0 == submitted && isHome)
            {
                // Asked for at once, so that it is done by itself and not with what follows.
                firstPosition = position;
                kernels.completedPosition();
            }

            submitted++;
        }

        return true;
    }

    private boolean isCopied(final RowKernels kernels)
    {
        if (kernels.completedPosition() < position)
        {
            return false;
        }

        submitted = 0;
        return true;
    }

    /** The wait for copies. */
    public Wait describe(final Wait wait, final int ownRank, final RowKernels kernels)
    {
        wait.set(ownRank, -1, WaitCounter.TOPK, kernels.position(), kernels.completedPosition());
        return wait;
    }

    /** The call has ended, or was not taken: forget its tensors, to serve another one. */
    public void release()
    {
        sourceCount = 0;
        targetCount = 0;
        submitted = 0;
        routing = null;
        isChained = false;
        pool.accept(this);
    }
}
