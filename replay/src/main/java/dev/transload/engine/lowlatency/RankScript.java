/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.tck.stepping.SteppingFabric;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/** What one rank does, step by step, on a thread that drives other ranks too. */
final class RankScript
{
    final LowLatencyEngine engine;
    final int rank;
    private final Scenario scenario;
    private final CallData[] data;
    private final RankTensors[] tensors = new RankTensors[Shape.LANES];
    private final LowLatencyDispatchResult[] results = new LowLatencyDispatchResult[Shape.LANES];
    private final LowLatencyCombineRequest[] requests = new LowLatencyCombineRequest[Shape.LANES];
    private final LowLatencyCombineResult[] sums = new LowLatencyCombineResult[Shape.LANES];
    private final List<Step> steps = new ArrayList<>();
    /** Whether this rank and another have been well all the time. */
    private final IntPredicate isWell;
    private int next;
    private int ended;
    private boolean isBegun;

    private enum Kind
    {
        DISPATCH, RECEIVE, COMBINE, SUM, RELEASE
    }

    private record Step(Kind kind, int call)
    {
    }

    RankScript(
        final Scenario scenario, final CallData[] data, final LowLatencyEngine engine, final SteppingFabric fabric,
        final IntPredicate isWell)
    {
        this.scenario = scenario;
        this.data = data;
        this.engine = engine;
        this.rank = engine.world().rank();
        this.isWell = isWell;
        for (int set = 0; set < Shape.LANES; set++)
        {
            tensors[set] = new RankTensors(scenario, engine, fabric);
        }
    }

    /** Append calls [from, to), overlapping as the scenario says. */
    RankScript calls(final int from, final int to)
    {
        for (int call = from; call < to; call += 2 == scenario.overlap ? 2 : 1)
        {
            if (0 == scenario.overlap)
            {
                dispatch(call).receive(call).end(call);
            }
            else if (1 == scenario.overlap)
            {
                dispatch(call);
                if (call > from)
                {
                    end(call - 1);
                }

                receive(call);
                if (call + 1 == to)
                {
                    end(call);
                }
            }
            else
            {
                pair(call, call + 1 < to);
            }
        }

        return this;
    }

    private void pair(final int call, final boolean hasSecond)
    {
        dispatch(call);
        if (!hasSecond)
        {
            receive(call).end(call);
            return;
        }

        dispatch(call + 1).receive(call + 1).receive(call);
        if (isReleased(call) || isReleased(call + 1))
        {
            end(call + 1).end(call);
            return;
        }

        add(Kind.COMBINE, call + 1).add(Kind.COMBINE, call).add(Kind.SUM, call).add(Kind.SUM, call + 1);
    }

    private RankScript dispatch(final int call)
    {
        return add(Kind.DISPATCH, call);
    }

    private RankScript receive(final int call)
    {
        return add(Kind.RECEIVE, call);
    }

    private RankScript end(final int call)
    {
        return isReleased(call) ? add(Kind.RELEASE, call) : add(Kind.COMBINE, call).add(Kind.SUM, call);
    }

    private boolean isReleased(final int call)
    {
        return scenario.isReleasing && (0 == scenario.seed % 2 || 1 == call % 3);
    }

    private RankScript add(final Kind kind, final int call)
    {
        steps.add(new Step(kind, call));
        return this;
    }

    boolean isDone()
    {
        return next == steps.size();
    }

    /** Calls that have ended, with what follows each dispatch. */
    int ended()
    {
        return ended;
    }

    /** Work of the step under way; begins the next one where there is none. */
    int doWork()
    {
        if (isDone())
        {
            return engine.isReady() ? 0 : 1;
        }

        final Step step = steps.get(next);
        final int set = step.call() % Shape.LANES;
        if (!isBegun)
        {
            begin(step, set);
            isBegun = true;
        }

        final Exchange exchange = results[set].exchange();
        final int work = engine.calls().doWork(exchange);
        if (!exchange.isUnderWay())
        {
            end(step, set);
            ended += Kind.SUM == step.kind() || Kind.RELEASE == step.kind() ? 1 : 0;
            isBegun = false;
            next++;
            return work + 1;
        }

        return work;
    }

    private void begin(final Step step, final int set)
    {
        switch (step.kind())
        {
            case DISPATCH -> results[set] = engine.calls().begin(request(step.call(), set));
            case RECEIVE -> assertTrue(engine.calls().beginReceive(results[set]));
            case COMBINE -> sums[set] = engine.calls().begin(requests[set]);
            case SUM -> assertTrue(engine.calls().beginReceive(sums[set]));
            default -> engine.calls().beginRelease(results[set]);
        }
    }

    /** Ranks need not choose alike. */
    private LowLatencyDispatchRequest request(final int call, final int set)
    {
        final LowLatencyDispatchRequest request = tensors[set].dispatch(data[call]);
        final boolean isReceivedNext = steps.get(next + 1).equals(new Step(Kind.RECEIVE, call));
        return scenario.isAtOnce && isReceivedNext && 0 != (rank + call) % 3 ? request.atOnce() : request;
    }

    private void end(final Step step, final int set)
    {
        final String where = scenario + ", call " + step.call();
        if (Kind.RECEIVE == step.kind())
        {
            for (int source = 0; source < scenario.ranks(); source++)
            {
                assertTrue(results[set].isActive(source) || !isWell.test(rank) || !isWell.test(source), where +
                    ": rank " + rank + " lost " + source + ", which is well: " + engine.maskReason(source));
            }

            requests[set] = tensors[set].verifyAndAnswer(results[set], where);
        }
        else if (Kind.SUM == step.kind())
        {
            tensors[set].verifyCombined(sums[set], where);
            verifyNothingOfWellRanksIsLeftOut(step.call(), set, where);
        }
    }

    private void verifyNothingOfWellRanksIsLeftOut(final int call, final int set, final String where)
    {
        for (int at = 0; at < data[call].idx[rank].length; at++)
        {
            if (sums[set].isLeftOut(at / scenario.topk, at % scenario.topk))
            {
                final int other = tensors[set].expertRank(at / scenario.topk, at % scenario.topk);
                assertTrue(!isWell.test(rank) || !isWell.test(other),
                    where + ": rank " + rank + " left out answers of " + other + ", which is well");
                assertEquals(false, engine.isActive(other), where);
            }
        }
    }

    /** Rows from a rank in the latest results of both sets. */
    int countsFrom(final int source)
    {
        int rows = 0;
        for (final LowLatencyDispatchResult result : results)
        {
            for (int expert = 0; expert < scenario.localExperts() && null != result; expert++)
            {
                rows += result.output().layoutRange().view().getInt(
                    (expert * scenario.ranks() + source) * Long.BYTES);
            }
        }

        return rows;
    }

    /** Which token the output of a call names as the source of a row. */
    int sourceToken(final int call, final int place)
    {
        return tensors[call % Shape.LANES].output.srcInfo().view().getInt(place * Integer.BYTES);
    }

    String standing()
    {
        return "rank " + rank + (isDone() ? " is done" : " is at " + steps.get(next));
    }
}
