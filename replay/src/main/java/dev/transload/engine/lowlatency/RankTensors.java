/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.DataType;
import dev.transload.engine.Tensor;
import dev.transload.kernels.Fp8;
import dev.transload.tck.stepping.SteppingFabric;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.IntPredicate;

/** One rank's tensors for calls of one buffer set: filled for a call, and held to what must come. */
final class RankTensors
{
    final LowLatencyOutput output;
    private final Scenario scenario;
    private final LowLatencyEngine engine;
    private final SteppingFabric fabric;
    private final int rank;
    private final Tensor x;
    private final Tensor idx;
    private final Tensor weights;
    private final Tensor answers;
    private final Tensor combined;
    private CallData data;

    /** The fabric is needed for memory that the JVM cannot see, and may be null otherwise. */
    RankTensors(final Scenario scenario, final LowLatencyEngine engine, final SteppingFabric fabric)
    {
        this.scenario = scenario;
        this.engine = engine;
        this.fabric = fabric;
        this.rank = engine.world().rank();
        final int rows = scenario.localExperts() * scenario.ranks() * scenario.maxTokens;
        output = engine.allocateOutput(scenario.experts, scenario.hidden,
            scenario.isFp8 ? DataType.F8_E4M3 : DataType.BF16, scenario.isFp8 ? scenario.layout : null);
        x = payload(scenario.maxTokens);
        answers = payload(rows);
        combined = payload(scenario.maxTokens);
        idx = host(DataType.I64);
        weights = host(DataType.F32);
    }

    private Tensor payload(final int rows)
    {
        return new Tensor(engine.allocatePayload(2L * rows * scenario.hidden), 0, DataType.BF16, rows,
            scenario.hidden);
    }

    private Tensor host(final DataType type)
    {
        return new Tensor(engine.allocateHost((long)scenario.maxTokens * scenario.topk * type.bytes()), 0, type,
            scenario.maxTokens, scenario.topk);
    }

    LowLatencyDispatchRequest dispatch(final CallData call)
    {
        data = call;
        final int tokens = call.tokens[rank];
        for (int token = 0; token < tokens; token++)
        {
            write(x, token, call.x[rank][token]);
        }

        idx.view().asLongBuffer().put(call.idx[rank]);
        weights.view().asFloatBuffer().put(call.weights[rank]);
        return LowLatencyDispatchRequest.of(x.firstRows(tokens), idx.firstRows(tokens), scenario.experts, output)
            .scaleFormat(scenario.format);
    }

    /** Hold what was received to brute force, and answer it. */
    LowLatencyCombineRequest verifyAndAnswer(final LowLatencyDispatchResult result, final String where)
    {
        final IntPredicate isActive = result::isActive;
        for (int expert = 0; expert < scenario.localExperts(); expert++)
        {
            final String at = where + ", rank " + rank + ", local expert " + expert;
            final List<CallData.Row> rows = data.rows(rank * scenario.localExperts() + expert, isActive);
            verifyCounts(expert, rows, at);
            for (int row = 0; row < rows.size(); row++)
            {
                verifyRow(expert, row, rows.get(row), at + ", row " + row);
            }
        }

        final int tokens = data.tokens[rank];
        return LowLatencyCombineRequest.of(
            result, answers, weights.firstRows(tokens), combined.firstRows(tokens));
    }

    private void verifyCounts(final int expert, final List<CallData.Row> rows, final String at)
    {
        assertEquals(rows.size(), output.count().view().getInt(expert * Integer.BYTES), at + ": count");
        final ByteBuffer ranges = output.layoutRange().view();
        int begin = 0;
        for (int source = 0; source < scenario.ranks(); source++)
        {
            final int from = source;
            final int count = (int)rows.stream().filter((row) -> row.source() == from).count();
            assertEquals((long)begin << 32 | count,
                ranges.getLong((expert * scenario.ranks() + source) * Long.BYTES), at + ": range of " + source);
            begin += count;
        }
    }

    private void verifyRow(final int expert, final int row, final CallData.Row expected, final String at)
    {
        final int expertRows = scenario.ranks() * scenario.maxTokens;
        final int place = expert * expertRows + row;
        assertEquals(expected.token(), output.srcInfo().view().getInt(place * Integer.BYTES), at + ": source token");
        final short[] bf16 = data.x[expected.source()][expected.token()];
        if (scenario.isFp8)
        {
            final byte[] q = new byte[scenario.hidden];
            final float[] scales = new float[Fp8.scales(scenario.hidden)];
            data.quantize(bf16, q, scales);
            assertArrayEquals(q, read(output.x(), place), at + ": FP8");
            for (int word = 0; word < scenario.layout.words(scenario.hidden); word++)
            {
                assertEquals(word(scales, word), scaleWord(expert, row, word), at + ": scale word " + word);
            }
        }
        else
        {
            assertArrayEquals(bytes(bf16), read(output.x(), place), at + ": BF16");
        }

        write(answers, place,
            data.answer(rank * scenario.localExperts() + expert, expected.source(), expected.token()));
    }

    private int word(final float[] scales, final int word)
    {
        if (!scenario.layout.isPacked())
        {
            return Float.floatToRawIntBits(scales[word]);
        }

        int packed = 0;
        for (int i = 4 * word; i < Math.min(4 * word + 4, scales.length); i++)
        {
            packed |= Math.getExponent(scales[i]) + 127 << 8 * (i % 4);
        }

        return packed;
    }

    private int scaleWord(final int expert, final int row, final int word)
    {
        final int expertRows = scenario.ranks() * scenario.maxTokens;
        final int words = scenario.layout.words(scenario.hidden);
        final int line = scenario.layout.isByColumn() ? expert * words + word : expert * expertRows + row;
        final int column = scenario.layout.isByColumn() ? row : word;
        return ByteBuffer.wrap(read(output.xScales(), line)).order(ByteOrder.nativeOrder())
            .getInt(column * Integer.BYTES);
    }

    void verifyCombined(final LowLatencyCombineResult result, final String where)
    {
        int leftOut = 0;
        for (int token = 0; token < data.tokens[rank]; token++)
        {
            final int of = token;
            final short[] expected = data.combined(rank, token, (k) -> result.isLeftOut(of, k));
            assertArrayEquals(bytes(expected), read(combined, token), where + ", rank " + rank + ", token " + token);
            for (int k = 0; k < scenario.topk; k++)
            {
                leftOut += result.isLeftOut(token, k) ? 1 : 0;
                assertTrue(!result.isLeftOut(token, k) || !engine.isActive(expertRank(token, k)),
                    where + ", rank " + rank + " left out an answer of an active rank");
            }
        }

        assertEquals(leftOut, result.leftOut(), where + ", rank " + rank + ": left out");
    }

    int expertRank(final int token, final int k)
    {
        return (int)data.idx[rank][token * scenario.topk + k] / scenario.localExperts();
    }

    short[] combinedRow(final int token)
    {
        final short[] row = new short[scenario.hidden];
        ByteBuffer.wrap(read(combined, token)).order(ByteOrder.nativeOrder()).asShortBuffer().get(row);
        return row;
    }

    byte[] receivedRow(final int place)
    {
        return read(output.x(), place);
    }

    private void write(final Tensor tensor, final int row, final short[] values)
    {
        if (tensor.memory().kind().isHost() || null == fabric)
        {
            tensor.view().position((int)(row * tensor.rowBytes())).put(bytes(values));
        }
        else
        {
            fabric.poke(tensor.memory().scaleUpRegion(), tensor.offset() + row * tensor.rowBytes(), bytes(values));
        }
    }

    private byte[] read(final Tensor tensor, final int row)
    {
        final byte[] bytes = new byte[(int)tensor.rowBytes()];
        if (tensor.memory().kind().isHost() || null == fabric)
        {
            tensor.view().position((int)(row * tensor.rowBytes())).get(bytes);
            return bytes;
        }

        return fabric.peek(
            tensor.memory().scaleUpRegion(), tensor.offset() + row * tensor.rowBytes(), bytes.length);
    }

    static byte[] bytes(final short[] values)
    {
        final ByteBuffer buffer = ByteBuffer.allocate(values.length * Short.BYTES).order(ByteOrder.nativeOrder());
        buffer.asShortBuffer().put(values);
        return buffer.array();
    }
}
