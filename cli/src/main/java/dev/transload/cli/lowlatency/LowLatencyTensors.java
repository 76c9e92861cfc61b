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
import java.util.ArrayList;
import java.util.List;

/** All tensors of one rank, allocated once and used again by every iteration. The engine frees their memory. */
final class LowLatencyTensors
{
    /** Where a tensor may begin. */
    private static final long ALIGNMENT = 64;

    private final LowLatencyEngine engine;
    private final List<Tensor> x;
    private final List<Tensor> topkIdx;
    private final List<Tensor> topkWeights;
    private final LowLatencyOutput received;
    private final Tensor answers;
    private final Tensor combined;

    LowLatencyTensors(final LowLatencyEngine engine, final CallInput input, final int rank)
    {
        this.engine = engine;
        final int hidden = input.input().hidden();
        final int topk = input.input().topk();
        this.x = byCall(input, rank, true, DataType.BF16, hidden);
        this.topkIdx = byCall(input, rank, false, DataType.I64, topk);
        this.topkWeights = byCall(input, rank, false, DataType.F32, topk);
        this.received = engine.allocateOutput(
            input.input().experts(), hidden, input.isFp8() ? DataType.F8_E4M3 : DataType.BF16,
            input.isFp8() ? ScaleLayout.ROWS : null);
        final int rows = received.x().rows();
        this.answers = input.isFp8() ? tensor(
            engine.allocatePayload((long)rows * hidden * DataType.BF16.bytes()), 0, DataType.BF16, rows, hidden) :
            received.x();
        this.combined = tensor(
            engine.allocatePayload((long)input.maxTokens() * hidden * DataType.BF16.bytes()), 0, DataType.BF16,
            input.maxTokens(), hidden);
        fill(input, rank);
    }

    /** [T, hidden] of a call. */
    Tensor x(final int call)
    {
        return x.get(call);
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

    /** What each dispatch fills. */
    LowLatencyOutput received()
    {
        return received;
    }

    /** BF16 rows for combine; of BF16 the received ones themselves. */
    Tensor answers()
    {
        return answers;
    }

    /** [T, hidden], which the combine of a call fills. */
    Tensor combined(final int call)
    {
        return combined.firstRows(x(call).rows());
    }

    private void fill(final CallInput input, final int rank)
    {
        final Routing routing = input.input().world().routing(rank);
        final int topk = routing.topk();
        final short[] row = new short[input.input().hidden()];
        for (int call = 0; call < x.size(); call++)
        {
            try (HostMirrors mirrors = new HostMirrors(engine::allocateHost))
            {
                final Tensor rows = mirrors.blank(x(call));
                for (int token = 0; token < rows.rows(); token++)
                {
                    final int at = input.first(call) + token;
                    input.input().rows().bf16(rank, at, row);
                    HostRows.row(rows, token).asShortBuffer().put(row);
                    HostRows.row(topkIdx(call), token).asLongBuffer().put(routing.idx(), at * topk, topk);
                    HostRows.row(topkWeights(call), token).asFloatBuffer().put(routing.weights(), at * topk, topk);
                }

                mirrors.bring(rows, x(call));
            }
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
