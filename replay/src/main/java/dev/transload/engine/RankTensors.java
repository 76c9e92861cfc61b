/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.reference.ReferenceDispatch;
import dev.transload.spi.MemoryKind;
import dev.transload.tck.stepping.SteppingFabric;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** One rank's tensors, written and read through the fabric where the JVM cannot look into them. */
final class RankTensors
{
    static final byte SPOILT = 0x55;

    final Tensor x;
    final Tensor scales;
    /** The same rows elsewhere. */
    final Tensor otherX;
    final Tensor otherScales;
    final Tensor idx;
    final Tensor weights;
    final Tensor bias0;
    final Tensor bias1;
    private static final int ALIGNMENT = 64;
    private final WorldData data;
    private final SteppingFabric fabric;
    private final Engine engine;
    private final int rank;
    private Tensor answers;
    private Tensor answerWeights;

    /** The fabric is needed for memory that the JVM cannot see, and may be null otherwise. */
    RankTensors(final WorldData data, final SteppingFabric fabric, final Engine engine, final int rank)
    {
        this.data = data;
        this.fabric = fabric;
        this.engine = engine;
        this.rank = rank;
        final Scenario scenario = data.scenario;
        final int tokens = scenario.tokens[rank];
        final int scaleCount = scenario.hidden / 128;
        x = scenario.isFp8 ? payload(DataType.F8_E4M3, tokens, scenario.hidden, data.q[rank]) :
            payload(DataType.BF16, tokens, scenario.hidden, toBytes(data.x[rank]));
        scales = scenario.isFp8 ? payload(DataType.F32, tokens, scaleCount, toBytes(data.scales[rank])) : null;
        otherX = elsewhere(x);
        otherScales = scenario.isFp8 ? elsewhere(scales) : null;
        bias0 = payload(DataType.BF16, tokens, scenario.hidden, toBytes(data.bias0[rank]));
        bias1 = payload(DataType.BF16, tokens, scenario.hidden, toBytes(data.bias1[rank]));
        idx = topk(DataType.I64, tokens, scenario.topk);
        weights = topk(DataType.F32, tokens, scenario.topk);
        write(idx, toBytes(data.routings.get(rank).idx()));
        write(weights, toBytes(data.routings.get(rank).weights()));
    }

    /** Where the scenario has top-k, and what comes of it. */
    Tensor topk(final DataType type, final int rows, final int columns)
    {
        final long bytes = (long)rows * columns * type.bytes();
        return new Tensor(data.scenario.isTopkOnDevice ? engine.allocatePayload(bytes) : engine.allocateHost(bytes), 0,
            type, rows, columns);
    }

    /** An output with room for some rows more, whose metadata is where the scenario has top-k. */
    DispatchOutput output(final OutputShape shape)
    {
        final int rows = shape.rows() + 3;
        return new DispatchOutput(empty(shape.type(), rows, shape.hidden()),
            DataType.F8_E4M3 == shape.type() ? empty(DataType.F32, rows, shape.hidden() / 128) : null,
            0 == shape.topk() ? null : topk(DataType.I64, rows, shape.topk()),
            0 == shape.topk() ? null : topk(DataType.F32, rows, shape.topk()),
            0 == shape.topk() ? null : topk(DataType.I32, rows, 1));
    }

    /** Memory of the payload's kind that nobody wrote. */
    Tensor empty(final DataType type, final int rows, final int columns)
    {
        return new Tensor(
            engine.allocatePayload((long)rows * columns * type.bytes()), 0, type, rows, columns);
    }

    private Tensor payload(final DataType type, final int rows, final int columns, final byte[] bytes)
    {
        final Tensor tensor = empty(type, rows, columns);
        write(tensor, bytes);
        return tensor;
    }

    /** An output like a given one, whose payload is elsewhere. */
    DispatchOutput elsewhere(final DispatchOutput output)
    {
        return new DispatchOutput(elsewhere(output.x()), null == output.xScales() ? null : elsewhere(output.xScales()),
            output.topkIdx(), output.topkWeights(), output.srcTokenIdx());
    }

    void write(final Tensor tensor, final byte[] bytes)
    {
        if (isSeen(tensor))
        {
            tensor.view().put(bytes);
        }
        else
        {
            fabric.poke(tensor.memory().scaleUpRegion(), tensor.offset(), bytes);
        }
    }

    /** Write what no call delivers all over an output. */
    void spoil(final DispatchOutput output)
    {
        for (final Tensor tensor : new Tensor[]{
            output.x(), output.xScales(), output.topkIdx(), output.topkWeights(), output.srcTokenIdx()})
        {
            if (null != tensor)
            {
                final byte[] bytes = new byte[(int)tensor.bytes()];
                Arrays.fill(bytes, SPOILT);
                write(tensor, bytes);
            }
        }
    }

    /** Whether a tensor holds what {@link #spoil} wrote, and nothing else. */
    boolean isSpoilt(final Tensor tensor)
    {
        for (final byte value : payload(tensor, tensor.rows()))
        {
            if (SPOILT != value)
            {
                return false;
            }
        }

        return true;
    }

    /** Without a fabric, devices are the loopback network's, whose memory is host memory in truth. */
    private boolean isSeen(final Tensor tensor)
    {
        return null == fabric || MemoryKind.HOST.equals(tensor.memory().kind());
    }

    byte[] payload(final Tensor tensor, final int rows)
    {
        final int length = (int)(rows * tensor.rowBytes());
        if (isSeen(tensor))
        {
            final byte[] bytes = new byte[length];
            tensor.view().get(bytes);
            return bytes;
        }

        return fabric.peek(tensor.memory().scaleUpRegion(), tensor.offset(), length);
    }

    /** The same rows at another place, not at the beginning of their memory. */
    Tensor elsewhere(final Tensor tensor)
    {
        final long before = (2 * tensor.rowBytes() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        final Tensor moved = new Tensor(engine.allocatePayload(before + tensor.rows() * tensor.rowBytes()), before,
            tensor.type(), tensor.rows(), tensor.columns());
        write(moved, payload(tensor, tensor.rows()));
        return moved;
    }

    /** Answer to what it received, from now on. */
    void answer(final ReferenceDispatch received, final Scenario scenario)
    {
        answers = null;
        answerWeights = null;
        answers(received, scenario.layout);
        if (scenario.hasOwnWeights)
        {
            answerWeights(received, scenario.layout);
        }
    }

    /** Rows that this rank's experts answer with, in the order in which it received. */
    Tensor answers(final ReferenceDispatch received, final OutputLayout layout)
    {
        if (null == answers)
        {
            answers = answersTo(received, layout);
        }

        return answers;
    }

    private Tensor answersTo(final ReferenceDispatch received, final OutputLayout layout)
    {
        final int hidden = data.scenario.hidden;
        final short[] rows = new short[received.rows() * hidden];
        for (int row = 0; row < received.rows(); row++)
        {
            if (received.srcRank()[row] >= 0)
            {
                final int source = received.srcRank()[row];
                final int token = received.srcTokenIdx()[row];
                final int k = OutputLayout.EXPERT_MAJOR == layout ? choice(source, token, received.topkIdx()[row]) : 0;
                System.arraycopy(data.answer(rank, source, token, k), 0, rows, row * hidden, hidden);
            }
        }

        return payload(DataType.BF16, received.rows(), hidden, toBytes(rows));
    }

    /** Weights of those rows, where they are other ones than were delivered. */
    Tensor answerWeights(final ReferenceDispatch received, final OutputLayout layout)
    {
        if (null == answerWeights)
        {
            final int columns = OutputLayout.EXPERT_MAJOR == layout ? 1 : data.scenario.topk;
            final float[] values = new float[received.rows() * columns];
            for (int i = 0; i < values.length; i++)
            {
                final int row = i / columns;
                final int source = received.srcRank()[row];
                final int token = received.srcTokenIdx()[row];
                values[i] = source < 0 ? 0f : data.answerWeight(rank, source, token,
                    OutputLayout.EXPERT_MAJOR == layout ?
                    choice(source, token, received.topkIdx()[row]) : i % columns);
            }

            answerWeights = topk(DataType.F32, received.rows(), columns);
            write(answerWeights, toBytes(values));
        }

        return answerWeights;
    }

    private int choice(final int source, final int token, final long localExpert)
    {
        final long expert = localExpert + (long)rank * (data.reference.experts() / data.reference.ranks());
        int k = 0;
        while (data.routings.get(source).expert(token, k) != expert)
        {
            k++;
        }

        return k;
    }

    int[] ints(final Tensor tensor, final int count)
    {
        final int[] values = new int[count];
        buffer(tensor).asIntBuffer().get(values);
        return values;
    }

    long[] longs(final Tensor tensor, final int count)
    {
        final long[] values = new long[count];
        buffer(tensor).asLongBuffer().get(values);
        return values;
    }

    float[] floats(final Tensor tensor, final int count)
    {
        final float[] values = new float[count];
        buffer(tensor).asFloatBuffer().get(values);
        return values;
    }

    private ByteBuffer buffer(final Tensor tensor)
    {
        return ByteBuffer.wrap(payload(tensor, tensor.rows())).order(ByteOrder.nativeOrder());
    }

    private static byte[] toBytes(final long[] values)
    {
        final ByteBuffer buffer = ByteBuffer.allocate(values.length * Long.BYTES).order(ByteOrder.nativeOrder());
        buffer.asLongBuffer().put(values);
        return buffer.array();
    }

    static byte[] toBytes(final short[] values)
    {
        final ByteBuffer buffer = ByteBuffer.allocate(values.length * Short.BYTES).order(ByteOrder.nativeOrder());
        buffer.asShortBuffer().put(values);
        return buffer.array();
    }

    static byte[] toBytes(final float[] values)
    {
        final ByteBuffer buffer = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.nativeOrder());
        buffer.asFloatBuffer().put(values);
        return buffer.array();
    }

    static short[] toShorts(final byte[] bytes)
    {
        final short[] values = new short[bytes.length / Short.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).asShortBuffer().get(values);
        return values;
    }

    static float[] toFloats(final byte[] bytes)
    {
        final float[] values = new float[bytes.length / Float.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).asFloatBuffer().get(values);
        return values;
    }
}
