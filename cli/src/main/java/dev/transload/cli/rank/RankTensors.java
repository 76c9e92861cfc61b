/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.cli.input.RunInput;
import dev.transload.cli.verify.Expectation;
import dev.transload.cli.verify.HostRows;
import dev.transload.engine.DataType;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.Engine;
import dev.transload.engine.OutputShape;
import dev.transload.engine.Tensor;
import dev.transload.kernels.Fp8;
import dev.transload.reference.Routing;

/** All tensors of one rank, allocated once and used again by every iteration. The engine frees their memory. */
public final class RankTensors
{
    private static final int MIN_BYTES = 64;

    private final Engine engine;
    private final RunInput input;
    private final int tokens;
    private final Tensor x;
    private final Tensor xScales;
    private final Tensor topkIdx;
    private final Tensor topkWeights;
    private final boolean isTopkOnDevice;
    private final Tensor sentIdx;
    private final Tensor sentWeights;
    private final Tensor combined;
    private final Tensor combinedWeights;
    private DispatchOutput received;
    private Tensor answers;

    /**
     * Allocate and fill.
     *
     * @param engine         which owns the memory.
     * @param input          of all ranks.
     * @param rank           own number.
     * @param isTopkOnDevice whether the engine is given top-k, and gives what comes of it, where the rows are.
     */
    public RankTensors(final Engine engine, final RunInput input, final int rank, final boolean isTopkOnDevice)
    {
        this.isTopkOnDevice = isTopkOnDevice;
        this.engine = engine;
        this.input = input;
        final Routing routing = input.world().routing(rank);
        this.tokens = routing.tokens();
        this.x = payload(input.isFp8() ? DataType.F8_E4M3 : DataType.BF16, tokens, input.hidden());
        this.xScales = input.isFp8() ? payload(DataType.F32, tokens, Fp8.scales(input.hidden())) : null;
        this.topkIdx = host(DataType.I64, tokens, input.topk());
        this.topkWeights = host(DataType.F32, tokens, input.topk());
        this.combined = payload(DataType.BF16, tokens, input.hidden());
        this.combinedWeights = metadata(DataType.F32, tokens, input.topk());
        this.sentIdx = isTopkOnDevice ? payload(DataType.I64, tokens, input.topk()) : topkIdx;
        this.sentWeights = isTopkOnDevice ? payload(DataType.F32, tokens, input.topk()) : topkWeights;
        fill(rank, routing);
    }

    Tensor x()
    {
        return x;
    }

    Tensor xScales()
    {
        return xScales;
    }

    /** In host memory, whatever the engine is given. */
    Tensor topkIdx()
    {
        return topkIdx;
    }

    Tensor topkWeights()
    {
        return topkWeights;
    }

    /** What the engine is given. */
    Tensor sentIdx()
    {
        return sentIdx;
    }

    Tensor sentWeights()
    {
        return sentWeights;
    }

    Tensor combined()
    {
        return combined;
    }

    Tensor combinedWeights()
    {
        return combinedWeights;
    }

    /** What the last dispatch filled. */
    DispatchOutput received()
    {
        return received;
    }

    /** The engine's allocator: memory of an earlier iteration is used again, so that iterations allocate nothing. */
    DispatchOutput allocate(final OutputShape shape)
    {
        if (null == received || received.x().rows() < shape.rows())
        {
            final int rows = shape.rows();
            received = new DispatchOutput(
                payload(shape.type(), rows, shape.hidden()),
                DataType.F8_E4M3 == shape.type() ? payload(DataType.F32, rows, Fp8.scales(shape.hidden())) : null,
                metadata(DataType.I64, rows, shape.topk()),
                metadata(DataType.F32, rows, shape.topk()),
                metadata(DataType.I32, rows, 1));
        }

        return received;
    }

    /** BF16 rows for combine beside received FP8 rows. */
    Tensor answers(final int rows)
    {
        if (null == answers || answers.rows() < rows)
        {
            answers = payload(DataType.BF16, rows, input.hidden());
        }

        return answers;
    }

    /** Fill the rows for combine with what the experts answer to the rows of an expectation. */
    void fillAnswers(final Expectation expectation)
    {
        final int rows = expectation.dispatch().rows();
        try (HostMirrors mirrors = new HostMirrors(engine::allocateHost))
        {
            final Tensor filled = mirrors.blank(answers(rows));
            final short[] answer = new short[input.hidden()];
            for (int row = 0; row < rows; row++)
            {
                expectation.answer(row, answer);
                HostRows.row(filled, row).asShortBuffer().put(answer);
            }

            mirrors.bring(filled, answers);
        }
    }

    /** Turn the signs of what is sent, and of the answers if they don't follow from it. */
    void negate()
    {
        HostRows.negate(x);
        if (null != answers)
        {
            HostRows.negate(answers);
        }
    }

    /**
     * Overwrite all outputs but the received rows, which differ in every iteration that is looked at.
     *
     * @param isWhole whether a dispatch delivers metadata again; else that of the first one has to stay.
     */
    void poisonOutputs(final boolean isWhole)
    {
        HostRows.poison(combined);
        HostRows.poison(combinedWeights);
        if (null != received)
        {
            HostRows.poison(received.xScales());
        }

        if (null != received && isWhole)
        {
            HostRows.poison(received.topkIdx());
            HostRows.poison(received.topkWeights());
            HostRows.poison(received.srcTokenIdx());
        }
    }

    private void fill(final int rank, final Routing routing)
    {
        try (HostMirrors mirrors = new HostMirrors(engine::allocateHost))
        {
            final Tensor rows = mirrors.blank(x);
            final Tensor scales = null == xScales ? null : mirrors.blank(xScales);
            fill(rank, routing, rows, scales);
            mirrors.bring(rows, x);
            if (null != scales)
            {
                mirrors.bring(scales, xScales);
            }

            mirrors.bring(topkIdx, sentIdx);
            mirrors.bring(topkWeights, sentWeights);
        }
    }

    private void fill(final int rank, final Routing routing, final Tensor rows, final Tensor rowScales)
    {
        final short[] exact = new short[input.hidden()];
        final byte[] q = new byte[input.hidden()];
        final float[] scales = new float[Fp8.scales(input.hidden())];
        for (int token = 0; token < tokens; token++)
        {
            if (input.isFp8())
            {
                input.rows().fp8(rank, token, q, scales);
                HostRows.row(rows, token).put(q);
                HostRows.row(rowScales, token).asFloatBuffer().put(scales);
            }
            else
            {
                input.rows().bf16(rank, token, exact);
                HostRows.row(rows, token).asShortBuffer().put(exact);
            }

            HostRows.row(topkIdx, token).asLongBuffer().put(routing.idx(), token * input.topk(), input.topk());
            HostRows.row(topkWeights, token).asFloatBuffer().put(routing.weights(), token * input.topk(), input.topk());
        }
    }

    private Tensor metadata(final DataType type, final int rows, final int columns)
    {
        return isTopkOnDevice ? payload(type, rows, columns) : host(type, rows, columns);
    }

    private Tensor payload(final DataType type, final int rows, final int columns)
    {
        return new Tensor(engine.allocatePayload(bytes(type, rows, columns)), 0, type, rows, columns);
    }

    private Tensor host(final DataType type, final int rows, final int columns)
    {
        return new Tensor(engine.allocateHost(bytes(type, rows, columns)), 0, type, rows, columns);
    }

    private static long bytes(final DataType type, final int rows, final int columns)
    {
        return Math.max(MIN_BYTES, (long)rows * columns * type.bytes());
    }
}
