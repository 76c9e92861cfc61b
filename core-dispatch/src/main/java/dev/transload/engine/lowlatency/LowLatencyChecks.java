/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.BadInputException;
import dev.transload.engine.DataType;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.Tensor;
import dev.transload.engine.TensorMemory;
import dev.transload.kernels.DeviceQueue;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.ScaleFormat;
import dev.transload.kernels.StepOutput;
import java.time.Duration;
import java.util.Arrays;
import org.agrona.UnsafeApi;

/** Whether a call's inputs can be taken; every refusal says what, where and what is allowed. Allocates nothing else. */
final class LowLatencyChecks
{
    private static final long MAX_TIMEOUT_NS = Duration.ofDays(365).toNanos();
    private static final int NEVER = -1;

    private final LowLatencyConfig config;
    private final Shape shape;
    private final SharedTensors shared;
    private final int[] lastToken;

    /** Shared tensors are null where threads do the steps. */
    LowLatencyChecks(final LowLatencyConfig config, final Shape shape, final SharedTensors shared)
    {
        this.shared = shared;
        this.config = config;
        this.shape = shape;
        this.lastToken = new int[shape.maxLocalExperts() * shape.ranks()];
    }

    long timeoutNs(final Duration requested)
    {
        final Duration timeout = null == requested ? config.timeout() : requested;
        if (timeout.isNegative() || timeout.isZero() || timeout.getSeconds() > MAX_TIMEOUT_NS / 1_000_000_000L)
        {
            throw new BadInputException(
                "timeout = " + timeout + " is not allowed: must be positive and at most a year");
        }

        return timeout.toNanos();
    }

    void dispatch(final LowLatencyDispatchRequest request)
    {
        final EngineConfig common = config.common();
        final Tensor x = request.x();
        if (null == x || DataType.BF16 != x.type() || x.rows() > config.maxTokens())
        {
            throw new BadInputException("x is " + x + ": must be BF16 [T, hidden] with T at most " +
                "transload.low-latency.max-tokens = " + config.maxTokens());
        }

        payload("x", x);
        if (0 != x.columns() % Fp8.GROUP || x.columns() > common.maxHidden())
        {
            throw new BadInputException("hidden = " + x.columns() + " is not allowed: must be a multiple of " +
                Fp8.GROUP + " and at most transload.max-hidden = " + common.maxHidden());
        }

        if (request.experts() < 1 || request.experts() > common.maxExperts())
        {
            throw new BadInputException("E = " + request.experts() + " is not allowed: must be in [1, " +
                "transload.max-experts = " + common.maxExperts() + "]");
        }

        final Tensor idx = request.topkIdx();
        if (null == idx || DataType.I64 != idx.type() && DataType.I32 != idx.type() || idx.rows() != x.rows() ||
            idx.columns() > common.maxTopk())
        {
            throw new BadInputException("topkIdx is " + idx + ": must be I64 or I32 [" + x.rows() +
                ", K] with K at most transload.max-topk = " + common.maxTopk());
        }

        control("topkIdx", idx);
        queue(request.queue());
        if (idx.memory().kind().isHost())
        {
            experts(idx, request.experts());
        }

        output(request, (request.experts() + shape.ranks() - 1) / shape.ranks());
    }

    private void experts(final Tensor idx, final int experts)
    {
        final int[] last = lastToken;
        final int tokens = idx.rows();
        final int topk = idx.columns();
        final boolean isLong = DataType.I64 == idx.type();
        long at = idx.memory().address() + idx.offset();
        Arrays.fill(last, NEVER);
        for (int token = 0; token < tokens; token++)
        {
            for (int k = 0; k < topk; k++, at += idx.type().bytes())
            {
                final long expert = isLong ? UnsafeApi.getLong(at) : UnsafeApi.getInt(at);
                if (expert < -1 || expert >= experts)
                {
                    throw new BadInputException("topkIdx[" + token + ", " + k + "] = " + expert +
                        " is not allowed: must be in [-1, E = " + experts + ")");
                }

                if (expert >= 0)
                {
                    if (last[(int)expert] == token)
                    {
                        throw new BadInputException("topkIdx[" + token + ", " + k + "] = " + expert +
                            " is not allowed: the token selects that expert already");
                    }

                    last[(int)expert] = token;
                }
            }
        }
    }

    private void output(final LowLatencyDispatchRequest request, final int localExperts)
    {
        final LowLatencyOutput output = request.output();
        final int hidden = request.x().columns();
        final int expertRows = shape.expertRows();
        final int rows = localExperts * expertRows;
        if (null == output || null == output.x() ||
            DataType.BF16 != output.x().type() && DataType.F8_E4M3 != output.x().type())
        {
            throw new BadInputException("output.x is " + (null == output ? null : output.x()) +
                ": must be BF16 or F8_E4M3 [" + rows + ", " + hidden + "]");
        }

        final boolean isFp8 = DataType.F8_E4M3 == output.x().type();
        shape("output.x", output.x(), output.x().type(), rows, hidden);
        payload("output.x", output.x());
        if (isFp8)
        {
            scales(request, localExperts);
        }

        shape("output.count", output.count(), DataType.I32, localExperts, 1);
        shape("output.srcInfo", output.srcInfo(), DataType.I32, localExperts, expertRows);
        shape("output.layoutRange", output.layoutRange(), DataType.I64, localExperts, shape.ranks());
        if (null != shared)
        {
            shared(output, rows, localExperts);
            return;
        }

        host("output.count", output.count());
        host("output.srcInfo", output.srcInfo());
        host("output.layoutRange", output.layoutRange());
    }

    /** Peers write to it, as it was laid out when all ranks made it. */
    private void shared(final LowLatencyOutput output, final int rows, final int localExperts)
    {
        final int number = shared.number(output.x().memory());
        final TensorMemory info = number < 0 ? null : shared.info(number);
        final int hidden = output.x().columns();
        if (null == info || 0 != output.x().offset() ||
            DataType.F8_E4M3 == output.x().type() && !isAt(output.xScales(), output.x().memory(),
            StepOutput.scalesOffset(rows, hidden)) ||
            !isAt(output.srcInfo(), info, 0) ||
            !isAt(output.layoutRange(), info, StepOutput.layoutRangeOffset(rows)) ||
            !isAt(output.count(), info, StepOutput.countOffset(rows, localExperts * shape.ranks())))
        {
            throw new BadInputException("output is not one of allocateOutput: must be, where devices do the steps");
        }
    }

    private static boolean isAt(final Tensor tensor, final TensorMemory memory, final long offset)
    {
        return tensor.memory() == memory && tensor.offset() == offset;
    }

    private void scales(final LowLatencyDispatchRequest request, final int localExperts)
    {
        final LowLatencyOutput output = request.output();
        final ScaleLayout layout = output.scaleLayout();
        if (null == layout || null == request.scaleFormat() ||
            layout.isPacked() && ScaleFormat.POWER_OF_TWO != request.scaleFormat())
        {
            throw new BadInputException("scaleLayout = " + layout + " with scaleFormat = " + request.scaleFormat() +
                " is not allowed: both must be given, packed scales need POWER_OF_TWO");
        }

        if (null == shared && ScaleLayout.ROWS != layout && !config.common().payloadKind().isHost())
        {
            throw new BadInputException("scaleLayout = " + layout + " is not allowed in " +
                config.common().payloadKind() + " memory: must be ROWS, others are made in HOST memory only");
        }

        final int words = layout.words(request.x().columns());
        final int lines = layout.isByColumn() ? words : shape.expertRows();
        shape("output.xScales", output.xScales(), layout.type(), localExperts * lines,
            layout.isByColumn() ? shape.expertRows() : words);
        payload("output.xScales", output.xScales());
    }

    void combine(final LowLatencyCombineRequest request, final LowLatencyDispatchRequest dispatch)
    {
        final int tokens = dispatch.x().rows();
        final int hidden = dispatch.x().columns();
        shape("x", request.x(), DataType.BF16, shape.steps().localExperts(dispatch.experts()) * shape.expertRows(),
            hidden);
        payload("x", request.x());
        shape("topkWeights", request.topkWeights(), DataType.F32, tokens, dispatch.topkIdx().columns());
        control("topkWeights", request.topkWeights());
        queue(request.queue());
        if (null != shared && (shared.number(request.x().memory()) < 0 || 0 != request.x().offset()))
        {
            throw new BadInputException("x is not one of allocateAnswers, nor the rows of an output of " +
                "allocateOutput: must be, where devices do the steps");
        }

        shape("output", request.output(), DataType.BF16, tokens, hidden);
        payload("output", request.output());
    }

    private static void shape(
        final String name, final Tensor tensor, final DataType type, final int rows, final int columns)
    {
        if (null == tensor || type != tensor.type() || tensor.rows() != rows || tensor.columns() != columns)
        {
            throw new BadInputException(
                name + " is " + tensor + ": must be " + type + " [" + rows + ", " + columns + "]");
        }
    }

    /** What the device reads may be in its memory, too. */
    private void control(final String name, final Tensor tensor)
    {
        if (null == shared || tensor.memory().kind().isHost())
        {
            host(name, tensor);
        }
        else
        {
            payload(name, tensor);
        }
    }

    private void queue(final DeviceQueue queue)
    {
        if (null != queue && null == shared)
        {
            throw new BadInputException("queue = " + queue + " is not allowed: the calling thread does the steps");
        }
    }

    private static void host(final String name, final Tensor tensor)
    {
        if (!tensor.memory().kind().isHost() || tensor.bytes() > Integer.MAX_VALUE || tensor.memory().isClosed())
        {
            throw new BadInputException(name + " is " + tensor + " in " + tensor.memory().kind() + " memory" +
                (tensor.memory().isClosed() ? " that was closed" : "") + ": must be in open HOST memory, at most " +
                Integer.MAX_VALUE + " bytes");
        }
    }

    private void payload(final String name, final Tensor tensor)
    {
        final EngineConfig common = config.common();
        if (!tensor.memory().kind().equals(common.payloadKind()) || tensor.memory().device() != common.device() ||
            tensor.memory().isClosed())
        {
            throw new BadInputException(name + " is in " + tensor.memory().kind() + " memory of device " +
                tensor.memory().device() + (tensor.memory().isClosed() ? ", closed" : "") + ": must be in open " +
                common.payloadKind() + " memory of device " + common.device() + " (transload.payload)");
        }

        tensor.memory().requireTransportsOf(name, common);
    }
}
