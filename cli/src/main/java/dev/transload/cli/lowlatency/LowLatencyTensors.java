/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import dev.transload.cli.rank.HostMirrors;
import dev.transload.cli.verify.HostRows;
import dev.transload.engine.DataType;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.engine.lowlatency.LowLatencyOutput;
import dev.transload.engine.lowlatency.ScaleLayout;
import dev.transload.reference.Routing;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ShortBuffer;
import java.util.ArrayList;
import java.util.List;

/** All tensors of one rank, allocated once and used again by every iteration. The engine frees their memory. */
final class LowLatencyTensors
{
    /** Where a tensor may begin. */
    private static final long ALIGNMENT = 64;

    private final LowLatencyEngine engine;
    private final List<List<Tensor>> x = new ArrayList<>();
    private final List<Tensor> topkIdx;
    private final List<Tensor> topkWeights;
    /** As the engine gets them: where devices do its steps, copies in their memory. */
    private final List<Tensor> sentIdx;
    private final List<Tensor> sentWeights;
    private final LowLatencyOutput received;
    private final Tensor answers;
    private final Tensor combined;

    LowLatencyTensors(
        final LowLatencyEngine engine, final CallInput input, final int rank, final boolean isDistinct)
    {
        this.engine = engine;
        final int hidden = input.input().hidden();
        final int topk = input.input().topk();
        this.x.add(byCall(input, rank, true, DataType.BF16, hidden));
        this.x.add(byCall(input, rank, true, DataType.BF16, hidden));
        this.topkIdx = byCall(input, rank, false, DataType.I64, topk);
        this.topkWeights = byCall(input, rank, false, DataType.F32, topk);
        this.sentIdx = engine.isByDevice() ? byCall(input, rank, true, DataType.I64, topk) : topkIdx;
        this.sentWeights = engine.isByDevice() ? byCall(input, rank, true, DataType.F32, topk) : topkWeights;
        this.received = engine.allocateOutput(
            input.input().experts(), hidden, input.isFp8() ? DataType.F8_E4M3 : DataType.BF16,
            input.isFp8() ? ScaleLayout.ROWS : null);
        this.answers = input.isFp8() || isDistinct ?
            engine.allocateAnswers(input.input().experts(), hidden) : received.x();
        this.combined = tensor(
            engine.allocatePayload((long)input.maxTokens() * hidden * DataType.BF16.bytes()), 0, DataType.BF16,
            input.maxTokens(), hidden);
        fill(input, rank);
    }

    /** [T, hidden] of a call: 0 as the input has it, 1 with every sign turned. */
    Tensor x(final int variant, final int call)
    {
        return x.get(variant).get(call);
    }

    /** [T, K] of a call. */
    Tensor topkIdx(final int call)
    {
        return topkIdx.get(call);
    }

    /** [T, K] of a call. */
    Tensor topkWeights(final int call)
    {
        return topkWeights.get(call);
    }

    /** {@link #topkIdx} as a request has it. */
    Tensor sentIdx(final int call)
    {
        return sentIdx.get(call);
    }

    /** {@link #topkWeights} as a request has them. */
    Tensor sentWeights(final int call)
    {
        return sentWeights.get(call);
    }

    /** What each dispatch fills. */
    LowLatencyOutput received()
    {
        return received;
    }

    /** BF16 rows for combine; of an echo of BF16 rows the received ones themselves. */
    Tensor answers()
    {
        return answers;
    }

    /** [T, hidden], which the combine of a call fills. */
    Tensor combined(final int call)
    {
        return combined.firstRows(x(0, call).rows());
    }

    /** Fill the rows for combine with what the experts of this rank answer to the sources that arrive. */
    void fillAnswers(final CallExpectation expectation, final boolean[] arrived, final int[][] lost)
    {
        final CallInput input = expectation.input();
        final short[] answer = new short[answers.columns()];
        for (int expert = 0; expert < input.expertsPerRank(); expert++)
        {
            final ByteBuffer rows = ByteBuffer.allocate(
                Math.toIntExact(expectation.rows(expert) * answers.rowBytes())).order(ByteOrder.nativeOrder());
            final ShortBuffer elements = rows.asShortBuffer();
            for (int source = 0; source < input.ranks(); source++)
            {
                for (final int token : arrived[source] ? expectation.tokens(expert, source) : List.<Integer>of())
                {
                    expectation.answer(expert, source, token, answer);
                    elements.put(answer);
                }

                final int room = lost[expert][source] > 0 ? expectation.tokens(expert, source).size() : 0;
                elements.position(elements.position() + room * answer.length);
            }

            answers.copyFromHost(expert * received.srcInfo().columns(),
                rows.limit(elements.position() * Short.BYTES));
        }
    }

    /** Overwrite all that a dispatch and a combine fill; of the rows of an expert those that are looked at. */
    void poisonOutputs(final CallExpectation expectation)
    {
        for (int expert = 0; expert < received.count().rows(); expert++)
        {
            final int firstRow = expert * received.srcInfo().columns();
            HostRows.poison(received.x(), firstRow, expectation.rows(expert));
            HostRows.poison(received.xScales(), firstRow, expectation.rows(expert));
        }

        HostRows.poison(received.count());
        HostRows.poison(received.srcInfo());
        HostRows.poison(received.layoutRange());
        HostRows.poison(combined(expectation.call()));
    }

    private void fill(final CallInput input, final int rank)
    {
        final Routing routing = input.input().world().routing(rank);
        final int topk = routing.topk();
        for (int call = 0; call < input.calls(); call++)
        {
            fill(input, rank, call, x(0, call));
            fill(input.negated(), rank, call, x(1, call));
            for (int token = 0; token < x(0, call).rows(); token++)
            {
                final int at = input.first(call) + token;
                HostRows.row(topkIdx(call), token).asLongBuffer().put(routing.idx(), at * topk, topk);
                HostRows.row(topkWeights(call), token).asFloatBuffer().put(routing.weights(), at * topk, topk);
            }

            bring(topkIdx(call), sentIdx(call));
            bring(topkWeights(call), sentWeights(call));
        }
    }

    private static void bring(final Tensor from, final Tensor to)
    {
        if (from != to)
        {
            to.memory().copyFromHost(to.offset(), from.memory().hostView(from.offset(), (int)from.bytes()));
        }
    }

    private void fill(final CallInput input, final int rank, final int call, final Tensor into)
    {
        final short[] row = new short[input.input().hidden()];
        try (HostMirrors mirrors = new HostMirrors(engine::allocateHost))
        {
            final Tensor rows = mirrors.blank(into);
            for (int token = 0; token < rows.rows(); token++)
            {
                input.input().rows().bf16(rank, input.first(call) + token, row);
                HostRows.row(rows, token).asShortBuffer().put(row);
            }

            mirrors.bring(rows, into);
        }
    }

    /** Tensors of all calls, in one piece of memory. */
    private List<Tensor> byCall(
        final CallInput input, final int rank, final boolean isPayload, final DataType type, final int columns)
    {
        final long stride =
            (input.maxTokens() * (long)columns * type.bytes() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        final long bytes = stride * input.calls();
        final TensorMemory memory = isPayload ? engine.allocatePayload(bytes) : engine.allocateHost(bytes);
        final List<Tensor> tensors = new ArrayList<>();
        for (int call = 0; call < input.calls(); call++)
        {
            tensors.add(tensor(memory, call * stride, type, input.tokens(rank, call), columns));
        }

        return tensors;
    }

    private static Tensor tensor(
        final TensorMemory memory, final long offset, final DataType type, final int rows, final int columns)
    {
        return new Tensor(memory, offset, type, rows, columns);
    }
}
