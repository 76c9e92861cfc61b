/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.cli.input.RunInput;
import dev.transload.cli.verify.Outputs;
import dev.transload.engine.CombineRequest;
import dev.transload.engine.DispatchHandle;
import dev.transload.engine.DispatchRequest;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.Engine;
import dev.transload.engine.Tensor;

/** One dispatch and one combine over the same memory, again and again. */
public final class Calls implements AutoCloseable
{
    private final RankEngine rank;
    private final Engine engine;
    private final RunInput input;
    private final RankTensors tensors;
    private final Dequantizer dequantizer;
    private final CallTimes times;
    private final boolean isCached;
    private final boolean isDistinct;
    private boolean isWeighted;
    private DispatchHandle first;
    private DispatchResult delivered;

    /**
     * Prepare.
     *
     * @param rank       which makes them.
     * @param input      of all ranks.
     * @param tensors    of this rank.
     * @param warmup     iterations that come first and leave no times.
     * @param iterations after them.
     * @param isCached   whether dispatches after the first repeat its routing, by its handle.
     * @param isDistinct whether the tensors have answers to send home; else the received rows go as they are.
     */
    public Calls(
        final RankEngine rank, final RunInput input, final RankTensors tensors, final int warmup,
        final int iterations, final boolean isCached, final boolean isDistinct)
    {
        this.isCached = isCached;
        this.isDistinct = isDistinct;
        this.rank = rank;
        this.engine = rank.engine();
        this.input = input;
        this.tensors = tensors;
        this.dequantizer = input.isFp8() && !isDistinct ? new Dequantizer(engine.config()) : null;
        this.times = new CallTimes(warmup, iterations);
    }

    /** Dispatch and combine; FP8 rows are cast in the first iteration and in the last. */
    public void run()
    {
        run(0 == times.made() || times.all() - 1 == times.made(), () -> {}, () -> {});
    }

    /**
     * Dispatch and combine.
     *
     * @param isLookedAt whether the sums will be: they are of what was received then.
     * @param pause      told before something that is no part of the calls.
     * @param resume     told after it.
     */
    void run(final boolean isLookedAt, final Runnable pause, final Runnable resume)
    {
        final long begin = System.nanoTime();
        times.begin(begin);
        final boolean isLast = times.all() - 1 == times.made();
        delivered = engine.dispatch(dispatchRequest()).await();
        final long dispatched = System.nanoTime();
        try
        {
            isWeighted = null == first || isLast;
            final CombineRequest request = combineRequest(answers(isLookedAt, pause, resume));
            final long combining = System.nanoTime();
            engine.combine(request).await();
            final long combined = System.nanoTime();
            times.end(dispatched - begin, combined - combining, combined);
        }
        finally
        {
            if (isCached)
            {
                first = delivered.handle();
            }
            else if (!isLast)
            {
                delivered.handle().close();
            }
        }
    }

    /**
     * Synchronize the ranks by a dispatch of no tokens, which is not measured. A rank that verified for longer than the
     * others then delays no measured call.
     */
    void comeTogether()
    {
        if (null == tensors.received())
        {
            return;
        }

        final DispatchRequest request = input.isFp8() ?
            DispatchRequest.of(tensors.x().firstRows(0), tensors.xScales().firstRows(0)) :
            DispatchRequest.of(tensors.x().firstRows(0));
        request.topk(tensors.sentIdx().firstRows(0), tensors.sentWeights().firstRows(0), input.experts());
        engine.dispatch(request.output(tensors.received())).await().handle().close();
    }

    /** Weights are summed once for each dispatch that delivered some, and in the last iteration. */
    private CombineRequest combineRequest(final Tensor answers)
    {
        final CombineRequest request = CombineRequest.of(delivered.handle(), answers);
        return isWeighted ?
            request.topkWeights(tensors.received().topkWeights().firstRows(delivered.rows()))
                .output(tensors.combined(), tensors.combinedWeights()) :
            request.output(tensors.combined(), null);
    }

    /** What the last dispatch delivered; after the last iteration, its handle is still open. */
    DispatchResult delivered()
    {
        return delivered;
    }

    /** What the last calls left. */
    public Outputs outputs()
    {
        return new Outputs(
            delivered.rows(), tensors.received(), delivered.rowsPerExpert(), delivered.rankPrefixSum(),
            tensors.combined(), isWeighted ? tensors.combinedWeights() : null);
    }

    /**
     * How long calls took on this rank.
     *
     * @return times by iteration, without the warm-up.
     */
    public CallTimes times()
    {
        return times;
    }

    @Override
    public void close()
    {
        if (null != delivered)
        {
            delivered.handle().close();
        }

        if (null != dequantizer)
        {
            // By the thread that it worked for.
            rank.runBeside(dequantizer::close);
        }
    }

    private DispatchRequest dispatchRequest()
    {
        final DispatchRequest request = input.isFp8() ?
            DispatchRequest.of(tensors.x(), tensors.xScales()) : DispatchRequest.of(tensors.x());
        if (null != first)
        {
            request.cached(first);
        }
        else
        {
            request.topk(tensors.sentIdx(), tensors.sentWeights(), input.experts());
        }

        // The same tokens give the same rows: what the first iteration allocated fits the others.
        return null == tensors.received() ?
            request.allocator(tensors::allocate) : request.output(tensors.received());
    }

    /**
     * Rows to send home: the answers that were prepared, or the received ones. FP8 rows of an echo are cast where the
     * sums are looked at: in between, ranks would wait for each other's casts within the calls.
     */
    private Tensor answers(final boolean isLookedAt, final Runnable pause, final Runnable resume)
    {
        final int rows = delivered.rows();
        if (isDistinct)
        {
            return tensors.answers(rows).firstRows(rows);
        }

        if (!input.isFp8())
        {
            return tensors.received().x().firstRows(rows);
        }

        final Tensor answers = tensors.answers(rows);
        if (isLookedAt)
        {
            pause.run();
            rank.runBeside(() -> dequantizer.dequantize(
                tensors.received().x(), tensors.received().xScales(), 0, rows, answers));
            resume.run();
        }

        return answers.firstRows(rows);
    }
}
