/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.djl.example;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.types.DataType;
import dev.transload.djl.BorrowedTensor;
import dev.transload.djl.NDTensors;
import dev.transload.engine.CombineRequest;
import dev.transload.engine.DispatchRequest;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.Engine;
import dev.transload.engine.OutputLayout;
import dev.transload.engine.Tensor;
import dev.transload.engine.lowlatency.LowLatencyCombineRequest;
import dev.transload.engine.lowlatency.LowLatencyDispatchRequest;
import dev.transload.engine.lowlatency.LowLatencyDispatchResult;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.engine.lowlatency.LowLatencyOutput;

/**
 * One rank's part of a layer: it has EXPERTS / ranks of the experts, and the gate. Calls are collective: all ranks make
 * the same ones in the same order, with any number of tokens each. PyTorch works in
 * the engine's memory, and the engine in PyTorch's, without copies.
 */
public final class MoeLayer
{
    private final Engine prefill;
    private final LowLatencyEngine decode;
    private final NDTensors tensors;
    private final int localExperts;
    private final Experts experts;
    private final LowLatencyOutput output;
    private final Tensor answers;

    /**
     * A layer over engines of both modes.
     *
     * @param manager of its weights, on the CPU.
     * @param prefill engine for batches of any size.
     * @param decode  engine for small batches, of the same context.
     */
    public MoeLayer(final NDManager manager, final Engine prefill, final LowLatencyEngine decode)
    {
        this.prefill = prefill;
        this.decode = decode;
        tensors = NDTensors.of(prefill);
        localExperts = Experts.EXPERTS / prefill.world().size();
        experts = new Experts(manager, prefill.world().rank() * localExperts, localExperts);
        output = decode.allocateOutput(Experts.EXPERTS, Experts.HIDDEN, dev.transload.engine.DataType.BF16, null);
        answers = decode.allocateAnswers(Experts.EXPERTS, Experts.HIDDEN);
    }

    /**
     * The layer in normal mode: each row is weighted where its expert is.
     *
     * @param x [T, HIDDEN] FLOAT32, rounded to BF16 on its way.
     * @return [T, HIDDEN] FLOAT32, of the manager of x.
     */
    public NDArray prefill(final NDArray x)
    {
        try (NDScope scope = new NDScope())
        {
            scope.suppressNotUsedWarning();
            final NDManager manager = x.getManager();
            final NDList choice = experts.choose(x);
            final Tensor rows = rounded(x);
            try (BorrowedTensor weights = tensors.borrow(choice.get(0));
                BorrowedTensor chosen = tensors.borrow(choice.get(1)))
            {
                final DispatchResult sent = prefill.dispatch(DispatchRequest.of(rows)
                    .topk(chosen.tensor(), weights.tensor(), Experts.EXPERTS)
                    .layout(OutputLayout.EXPERT_MAJOR)).await();
                final Tensor received = sent.output().x().firstRows(sent.rows());
                final Tensor shares = sent.output().topkWeights().firstRows(sent.rows());
                applyWeighted(
                    NDTensors.view(manager, received), NDTensors.view(manager, shares), sent.rowsPerExpert());
                // The rows have been sent: their place takes the sums.
                prefill.combine(CombineRequest.of(sent.handle(), received).output(rows, null)).await();
                sent.handle().close();
                received.memory().close();
                shares.memory().close();
            }

            return taken(manager, rows);
        }
    }

    /** In the place of the rows, which are those of one expert after the other. */
    private void applyWeighted(final NDArray rows, final NDArray weights, final int[] rowsPerExpert)
    {
        int begin = 0;
        for (int local = 0; local < localExperts; local++)
        {
            final int end = begin + rowsPerExpert[local];
            if (end > begin)
            {
                final NDIndex own = new NDIndex("{}:{}", begin, end);
                rows.set(own, apply(local, rows.get(own)).mul(weights.get(own)));
            }

            begin = end;
        }
    }

    /**
     * The layer in low-latency mode: answers are weighted at home.
     *
     * @param x [T, HIDDEN] FLOAT32, rounded to BF16 on its way, T at most {@code transload.low-latency.max-tokens}.
     * @return [T, HIDDEN] FLOAT32, of the manager of x.
     */
    public NDArray decode(final NDArray x)
    {
        try (NDScope scope = new NDScope())
        {
            scope.suppressNotUsedWarning();
            final NDManager manager = x.getManager();
            final NDList choice = experts.choose(x);
            final Tensor rows = rounded(x);
            try (BorrowedTensor weights = tensors.borrow(choice.get(0));
                BorrowedTensor chosen = tensors.borrow(choice.get(1)))
            {
                final LowLatencyDispatchResult received = decode.dispatch(LowLatencyDispatchRequest.of(
                    rows, chosen.tensor(), Experts.EXPERTS, output)).receive();
                applyPacked(NDTensors.view(manager, output.x()), NDTensors.view(manager, answers));
                decode.combine(LowLatencyCombineRequest.of(received, answers, weights.tensor(), rows)).receive();
            }

            return taken(manager, rows);
        }
    }

    /** An expert's rows are packed from the first of its places on. */
    private void applyPacked(final NDArray rows, final NDArray answered)
    {
        final int places = output.x().rows() / localExperts;
        for (int local = 0; local < localExperts; local++)
        {
            final int count = output.count().view().getInt(local * Integer.BYTES);
            if (count > 0)
            {
                final NDIndex own = new NDIndex("{}:{}", local * places, local * places + count);
                answered.set(own, apply(local, rows.get(own)));
            }
        }
    }

    private NDArray apply(final int local, final NDArray rows)
    {
        return experts.apply(
            prefill.world().rank() * localExperts + local, rows.toType(DataType.FLOAT32, true));
    }

    /** In memory of the engine. */
    private Tensor rounded(final NDArray x)
    {
        final int count = (int)x.getShape().get(0);
        final Tensor rows = new Tensor(prefill.allocatePayload(Math.max(1, count) * (long)Experts.HIDDEN * Short.BYTES),
            0, dev.transload.engine.DataType.BF16, count, Experts.HIDDEN);
        if (count > 0)
        {
            NDTensors.view(x.getManager(), rows).set(new NDIndex("0:{}", count), x);
        }

        return rows;
    }

    private static NDArray taken(final NDManager manager, final Tensor rows)
    {
        final NDArray result = NDTensors.view(manager, rows).toType(DataType.FLOAT32, true);
        NDScope.unregister(result);
        rows.memory().close();
        return result;
    }
}
