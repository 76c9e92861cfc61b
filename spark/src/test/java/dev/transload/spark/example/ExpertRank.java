/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spark.example;

import dev.transload.engine.CombineRequest;
import dev.transload.engine.DataType;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.DispatchRequest;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.Engine;
import dev.transload.engine.Tensor;
import dev.transload.spark.RankFunction;
import dev.transload.spark.SparkRanks;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterators;
import java.util.stream.StreamSupport;
import org.apache.spark.TaskContext;

/** A rank that has some of the experts: its tokens go to the ranks of their experts, batch by batch, and come back. */
public final class ExpertRank implements RankFunction<Token, Token>
{
    private static final long serialVersionUID = 1;
    private static final int BATCH = 256;

    @Override
    public Iterator<Token> call(final SparkRanks ranks, final Iterator<Token> rows)
    {
        final Tensors tensors = new Tensors(ranks);
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(ranks.batches(rows, BATCH), 0), false)
            .flatMap((batch) -> tensors.infer(batch).stream()).iterator();
    }

    /** Allocated once, and used for each batch. */
    private static final class Tensors
    {
        private final Layer layer = new Layer();
        private final Engine engine;
        private final String place;
        private final Tensor x;
        private final Tensor idx;
        private final Tensor weights;
        private final Tensor sums;
        private final DispatchOutput received;

        Tensors(final SparkRanks ranks)
        {
            engine = ranks.engine();
            place = "attempt " + TaskContext.get().stageAttemptNumber() + ", " + ranks.world().size() + " ranks on " +
                ranks.world().nodes() + " nodes";
            final int most = BATCH * ranks.world().size();
            x = tensor(DataType.BF16, BATCH, Layer.HIDDEN);
            idx = tensor(DataType.I64, BATCH, Layer.TOPK);
            weights = tensor(DataType.F32, BATCH, Layer.TOPK);
            sums = tensor(DataType.BF16, BATCH, Layer.HIDDEN);
            received = new DispatchOutput(tensor(DataType.BF16, most, Layer.HIDDEN), null,
                tensor(DataType.I64, most, Layer.TOPK), tensor(DataType.F32, most, Layer.TOPK),
                tensor(DataType.I32, most, 1));
        }

        private Tensor tensor(final DataType type, final int rows, final int columns)
        {
            return new Tensor(engine.allocatePayload((long)rows * columns * type.bytes()), 0, type, rows, columns);
        }

        List<Token> infer(final List<Token> batch)
        {
            for (int token = 0; token < batch.size(); token++)
            {
                final float[] values = batch.get(token).getValues();
                putRow(x.view(), token, values);
                final int[] chosen = layer.choose(values);
                final float[] shares = layer.weigh(values, chosen);
                for (int k = 0; k < Layer.TOPK; k++)
                {
                    idx.view().putLong((token * Layer.TOPK + k) * Long.BYTES, chosen[k]);
                    weights.view().putFloat((token * Layer.TOPK + k) * Float.BYTES, shares[k]);
                }
            }

            final DispatchResult sent = engine.dispatch(DispatchRequest.of(x.firstRows(batch.size()))
                .topk(idx.firstRows(batch.size()), weights.firstRows(batch.size()), Layer.EXPERTS)
                .output(received)).await();
            applyExperts(sent.rows());
            engine.combine(CombineRequest.of(sent.handle(), received.x().firstRows(sent.rows()))
                .output(sums.firstRows(batch.size()), null)).await();
            sent.handle().close();

            final List<Token> answers = new ArrayList<>();
            for (int token = 0; token < batch.size(); token++)
            {
                answers.add(new Token(batch.get(token).getId(), row(sums.view(), token), place));
            }

            return answers;
        }

        /** Puts the weighted sum of this rank's experts in the place of each row. */
        private void applyExperts(final int rows)
        {
            final int firstExpert = engine.world().rank() * (Layer.EXPERTS / engine.world().size());
            for (int row = 0; row < rows; row++)
            {
                final float[] values = row(received.x().view(), row);
                final float[] sum = new float[Layer.HIDDEN];
                for (int k = 0; k < Layer.TOPK; k++)
                {
                    final long expert = received.topkIdx().view().getLong((row * Layer.TOPK + k) * Long.BYTES);
                    if (expert >= 0)
                    {
                        layer.addExpert(firstExpert + (int)expert,
                            received.topkWeights().view().getFloat((row * Layer.TOPK + k) * Float.BYTES), values, sum);
                    }
                }

                putRow(received.x().view(), row, sum);
            }
        }

        /** A BF16 is the upper half of a float, rounded. */
        private static void putRow(final ByteBuffer rows, final int row, final float[] values)
        {
            for (int i = 0; i < Layer.HIDDEN; i++)
            {
                final int bits = Float.floatToIntBits(values[i]);
                rows.putShort((row * Layer.HIDDEN + i) * Short.BYTES,
                    (short)(bits + 0x7FFF + (bits >>> Short.SIZE & 1) >>> Short.SIZE));
            }
        }

        private static float[] row(final ByteBuffer rows, final int row)
        {
            final float[] values = new float[Layer.HIDDEN];
            for (int i = 0; i < Layer.HIDDEN; i++)
            {
                values[i] = Float.intBitsToFloat(
                    rows.getShort((row * Layer.HIDDEN + i) * Short.BYTES) << Short.SIZE);
            }

            return values;
        }
    }
}
