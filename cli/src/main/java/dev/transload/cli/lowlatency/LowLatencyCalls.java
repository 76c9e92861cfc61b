/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import com.sun.management.ThreadMXBean;
import dev.transload.cli.launch.Progress;
import dev.transload.cli.rank.CallTimes;
import dev.transload.cli.rank.Dequantizer;
import dev.transload.cli.rank.HostMirrors;
import dev.transload.cli.verify.HostRows;
import dev.transload.engine.Tensor;
import dev.transload.engine.lowlatency.LowLatencyCombineRequest;
import dev.transload.engine.lowlatency.LowLatencyCombineResult;
import dev.transload.engine.lowlatency.LowLatencyDispatchRequest;
import dev.transload.engine.lowlatency.LowLatencyDispatchResult;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** The calls of an input, each a dispatch and a combine over the same memory, again and again, and their times. */
final class LowLatencyCalls implements AutoCloseable
{
    private final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private final LowLatencyEngine engine;
    private final CallInput input;
    private final LowLatencyTensors tensors;
    private final Progress progress;
    private final Dequantizer dequantizer;
    private final List<List<LowLatencyDispatchRequest>> requests = List.of(new ArrayList<>(), new ArrayList<>());
    private final List<CallOutputs> outputs = new ArrayList<>();
    private final boolean isDistinct;
    private final boolean[] preparedFor;
    private final boolean[] arrived;
    private final boolean[] answered;
    private final int[][] lost;
    private final CallTimes times;
    private final long[] allocated;
    private final int[] rowsSeen;
    private final HostMirrors mirrors;
    private long rows;
    private String leftOutWrongly;

    LowLatencyCalls(
        final LowLatencyEngine engine,
        final CallInput input,
        final LowLatencyTensors tensors,
        final boolean isDistinct,
        final int warmup,
        final int iterations,
        final Progress progress)
    {
        this.engine = engine;
        this.input = input;
        this.tensors = tensors;
        this.progress = progress;
        this.dequantizer = input.isFp8() && !isDistinct ? new Dequantizer(engine.config().common()) : null;
        this.isDistinct = isDistinct;
        this.preparedFor = new boolean[input.ranks()];
        this.arrived = new boolean[input.ranks()];
        this.answered = new boolean[input.ranks()];
        this.lost = new int[input.expertsPerRank()][input.ranks()];
        final int counted = Math.multiplyExact(iterations, input.calls());
        this.times = new CallTimes((long)warmup * input.calls(), counted);
        this.allocated = new long[counted];
        this.mirrors = new HostMirrors(engine::allocateHost);
        this.rowsSeen = new int[input.calls()];
        Arrays.fill(rowsSeen, -1);
        for (int call = 0; call < input.calls(); call++)
        {
            for (int variant = 0; variant < requests.size(); variant++)
            {
                requests.get(variant).add(LowLatencyDispatchRequest.of(tensors.x(variant, call),
                    tensors.sentIdx(call), input.input().experts(), tensors.received()).atOnce());
            }

            outputs.add(new CallOutputs(tensors.received(), tensors.combined(call), arrived, answered,
                lost));
        }
    }

    /**
     * Dispatch and combine. FP8 rows of an echo are cast for that only where the sums are looked at, since ranks would
     * wait within their calls for each other's casts.
     *
     * @param call        in [0, calls).
     * @param variant     of the rows: 0 as the input has them, 1 with every sign turned.
     * @param expectation of the call where its sums are looked at, else null.
     */
    void run(final int call, final int variant, final CallExpectation expectation)
    {
        progress.step("dispatching", times.made(), times.all());
        final long begin = System.nanoTime();
        times.begin(begin);
        final long allocatedBeforeDispatch = threads.getCurrentThreadAllocatedBytes();
        final LowLatencyDispatchResult delivered = engine.dispatch(requests.get(variant).get(call));
        final long allocatedByDispatch = threads.getCurrentThreadAllocatedBytes() - allocatedBeforeDispatch;
        final long dispatched = System.nanoTime();
        boolean isAsPrepared = true;
        for (int rank = 0; rank < arrived.length; rank++)
        {
            arrived[rank] = delivered.isActive(rank);
            isAsPrepared &= arrived[rank] == preparedFor[rank];
            noteLost(delivered, rank);
        }

        final CallOutputs output = outputs.get(call);
        if (null != expectation && null != dequantizer)
        {
            cast(output.counted(mirrors));
        }
        else if (null != expectation && isDistinct && !isAsPrepared)
        {
            tensors.fillAnswers(expectation, arrived, lost);
        }

        final LowLatencyCombineRequest request = LowLatencyCombineRequest.of(
            delivered, tensors.answers(), tensors.sentWeights(call), tensors.combined(call));
        progress.step("combining", times.made(), times.all());
        final long allocatedBefore = threads.getCurrentThreadAllocatedBytes();
        final long combining = System.nanoTime();
        final LowLatencyCombineResult combined = engine.combine(request).receive();
        final long end = System.nanoTime();
        final int index = times.index();
        if (index >= 0)
        {
            allocated[index] = allocatedByDispatch + threads.getCurrentThreadAllocatedBytes() - allocatedBefore;
            rows += rowsOf(call);
        }

        noteAnswers(call, combined);
        times.end(dispatched - begin, end - combining, end);
    }

    /** Have the outputs overwritten, and the answers of experts ready, for a call whose outputs are looked at. */
    void prepare(final CallExpectation expectation)
    {
        tensors.poisonOutputs(expectation);
        for (int rank = 0; rank < preparedFor.length; rank++)
        {
            preparedFor[rank] = engine.isActive(rank);
        }

        if (isDistinct)
        {
            noneLost();
            tensors.fillAnswers(expectation, preparedFor, lost);
        }
    }

    /** What the last call left, if it was this one; of a device's memory not yet copied. */
    CallOutputs outputs(final int call)
    {
        return outputs.get(call);
    }

    /** Rows that all dispatches that count have delivered so far. */
    long rows()
    {
        return rows;
    }

    /** Ranks that calls go on without. */
    int[] masked()
    {
        return IntStream.range(0, answered.length).filter((rank) -> !engine.isActive(rank)).toArray();
    }

    /** A selection that was left out although its expert's rank takes part; null where there is none. */
    String leftOutWrongly()
    {
        return leftOutWrongly;
    }

    /**
     * Java heap that the engine takes on this thread within a dispatch and its combine: 99 of 100 take no more. The
     * others are those in which the JVM gave up compiled code, and interpreted it until it was compiled anew.
     *
     * @param from number of the first call to look at, of those that count.
     * @param to   number of the call behind the last one to look at, at most of those that have ended.
     */
    long allocatedBytes(final int from, final int to)
    {
        final long[] sorted = Arrays.copyOfRange(allocated, from, to);
        Arrays.sort(sorted);
        return sorted[(sorted.length - 1) * 99 / 100];
    }

    /** By call, all calls of an iteration one after the other. */
    CallTimes times()
    {
        return times;
    }

    @Override
    public void close()
    {
        mirrors.close();
        if (null != dequantizer)
        {
            dequantizer.close();
        }
    }

    /** Rows of a call; where they must be copied to be known, as the first one had them. */
    private int rowsOf(final int call)
    {
        if (!engine.isByDevice())
        {
            return outputs.get(call).rows();
        }

        if (rowsSeen[call] < 0)
        {
            rowsSeen[call] = outputs.get(call).counted(mirrors).rows();
        }

        return rowsSeen[call];
    }

    private void noneLost()
    {
        for (final int[] ofExpert : lost)
        {
            Arrays.fill(ofExpert, 0);
        }
    }

    private void noteLost(final LowLatencyDispatchResult delivered, final int source)
    {
        for (int expert = 0; expert < lost.length; expert++)
        {
            lost[expert][source] = arrived[source] ? 0 : (int)delivered.lostRows(expert, source);
        }
    }

    private void noteAnswers(final int call, final LowLatencyCombineResult combined)
    {
        Arrays.fill(answered, true);
        if (0 == combined.leftOut())
        {
            return;
        }

        final Tensor selections = tensors.topkIdx(call);
        for (int token = 0; token < selections.rows(); token++)
        {
            for (int k = 0; k < selections.columns(); k++)
            {
                if (combined.isLeftOut(token, k))
                {
                    leaveOut(token, (int)HostRows.row(selections, token).getLong(k * Long.BYTES));
                }
            }
        }
    }

    private void leaveOut(final int token, final int expert)
    {
        final int rank = expert / input.expertsPerRank();
        answered[rank] = false;
        if (engine.isActive(rank))
        {
            leftOutWrongly = "token " + token + ": expert " + expert + " was left out though rank " + rank +
                " takes part";
        }
    }

    private void cast(final CallOutputs output)
    {
        for (int expert = 0; expert < input.expertsPerRank(); expert++)
        {
            dequantizer.dequantize(tensors.received().x(), tensors.received().xScales(),
                expert * output.rowsPerExpert(), output.count(expert), tensors.answers());
        }
    }
}
