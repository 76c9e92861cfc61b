/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.BadInputException;
import dev.transload.engine.CombineRequest;
import dev.transload.engine.DataType;
import dev.transload.engine.DispatchHandle;
import dev.transload.engine.DispatchRequest;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.Tensor;
import dev.transload.engine.internal.plan.Plan;
import dev.transload.engine.internal.plan.PlanHandle;
import dev.transload.kernels.ForeignEvent;
import dev.transload.kernels.Fp8;

/** Whether a call's inputs can be taken; every refusal says what, where and what is allowed. */
public final class CallChecks
{
    private static final int ROW_MULTIPLE = 8;
    private static final int MAX_ALIGNMENT = 1 << 20;

    /** Whose handles are accepted. */
    public interface HandleOwner
    {
        /** Whether a handle is of this engine. */
        boolean owns(DispatchHandle handle);
    }

    private CallChecks()
    {
    }

    /** Check a dispatch. */
    public static void dispatch(final EngineConfig config, final DispatchRequest request)
    {
        final Tensor x = request.x();
        if (null == x || DataType.BF16 != x.type() && DataType.F8_E4M3 != x.type())
        {
            throw new BadInputException("x is " + x + ": must be BF16 or F8_E4M3 [T, hidden]");
        }

        final boolean isFp8 = DataType.F8_E4M3 == x.type();
        payload(config, "x", x);
        hidden(config, x, isFp8 ? Fp8.GROUP : ROW_MULTIPLE);
        if (isFp8)
        {
            shape("xScales", request.xScales(), DataType.F32, x.rows(), Fp8.scales(x.columns()));
            payload(config, "xScales", request.xScales());
        }
        else if (null != request.xScales())
        {
            throw new BadInputException("xScales are given with BF16 rows: must be absent unless x is F8_E4M3");
        }

        if (null == request.handle())
        {
            topk(config, request.topkIdx(), request.topkWeights(), x.rows(), request.experts());
        }
        else if (null != request.topkIdx() || null != request.topkWeights())
        {
            throw new BadInputException((null != request.topkIdx() ? "topkIdx" : "topkWeights") +
                " and a handle are both given: must be one of them");
        }

        event(config, "waitFor", request.waitFor());
        event(config, "record", request.record());
        if (request.expertAlignment() < 0 || request.expertAlignment() > MAX_ALIGNMENT)
        {
            throw new BadInputException("expertAlignment = " + request.expertAlignment() +
                " is not allowed: must be in [1, " + MAX_ALIGNMENT + "]");
        }
    }

    /**
     * Check routing decisions.
     *
     * @param idx     [T, K] I64.
     * @param weights [T, K] F32 or null.
     */
    public static void topk(
        final EngineConfig config, final Tensor idx, final Tensor weights, final int tokens, final int experts)
    {
        if (null == idx)
        {
            throw new BadInputException("topkIdx is missing: must be I64 [" + tokens + ", K], or a handle be given");
        }

        seen(config, "topkIdx", idx);
        shape("topkIdx", idx, DataType.I64, tokens, idx.columns());
        if (idx.columns() > config.maxTopk())
        {
            throw new BadInputException("K = " + idx.columns() + " is not allowed: must be at most " +
                "transload.max-topk = " + config.maxTopk());
        }

        if (experts < 1 || experts > config.maxExperts())
        {
            throw new BadInputException("E = " + experts + " is not allowed: must be in [1, " +
                "transload.max-experts = " + config.maxExperts() + "]");
        }

        if (idx.columns() > experts)
        {
            throw new BadInputException("K = " + idx.columns() + " is not allowed: must be at most E = " + experts);
        }

        if (null != weights)
        {
            shape("topkWeights", weights, DataType.F32, tokens, idx.columns());
            seen(config, "topkWeights", weights);
        }
    }

    /**
     * Check routing decisions that are laid out at once.
     *
     * @param idx [T, K] I64.
     */
    public static void layout(final EngineConfig config, final Tensor idx, final int experts)
    {
        topk(config, idx, null, null == idx ? 0 : idx.rows(), experts);
        if (!idx.memory().kind().isHost())
        {
            throw new BadInputException("topkIdx is in " + idx.memory().kind() +
                " memory: must be in HOST memory to be laid out without a dispatch");
        }
    }

    /**
     * Check a handle and retain its plan for a call.
     *
     * @return the handle; a caller that does not submit the call releases its plan.
     */
    public static PlanHandle handle(final HandleOwner owner, final DispatchHandle handle)
    {
        if (null == handle || !owner.owns(handle))
        {
            throw notOwned();
        }

        final PlanHandle own = (PlanHandle)handle;
        if (!own.retain())
        {
            throw notOpen();
        }

        return own;
    }

    /** For a handle of another engine. */
    public static BadInputException notOwned()
    {
        return new BadInputException("the handle is not of this engine: must be one that its dispatch returned");
    }

    /** For a handle that no call can use. */
    public static BadInputException notOpen()
    {
        return new BadInputException("the handle is closed or its dispatch is not complete: must be open");
    }

    /** Check a cached dispatch against its handle. */
    public static void cached(final DispatchRequest request, final Plan plan)
    {
        if (request.x().rows() != plan.tokens())
        {
            throw new BadInputException("x has " + request.x().rows() + " rows: the handle's dispatch had " +
                plan.tokens() + ", must be equal");
        }

        if (null != request.layout() && request.layout() != plan.layout() ||
            request.expertAlignment() > 0 && request.expertAlignment() != plan.alignment())
        {
            throw new BadInputException("output layout and alignment of a cached dispatch are the handle's, " +
                plan.layout() + " and " + plan.alignment() + ": must be left out or equal");
        }
    }

    /** Check a combine. */
    public static void combine(final EngineConfig config, final CombineRequest request, final Plan plan)
    {
        final Tensor x = request.x();
        if (null == x || DataType.BF16 != x.type() || x.rows() < plan.rows())
        {
            throw new BadInputException("x is " + x + ": must be BF16 [" + plan.rows() + " or more, hidden]");
        }

        payload(config, "x", x);
        hidden(config, x, ROW_MULTIPLE);
        final int topk = plan.sendLayout().topk();
        if (null != request.topkWeights())
        {
            final Tensor weights = request.topkWeights();
            final int columns = plan.isExpanded() ? 1 : topk;
            if (DataType.F32 != weights.type() || weights.rows() < plan.rows() || weights.columns() != columns)
            {
                throw new BadInputException("topkWeights is " + weights + ": must be F32 [" + plan.rows() +
                    " or more, " + columns + "]");
            }

            seen(config, "topkWeights", weights);
        }

        event(config, "waitFor", request.waitFor());
        event(config, "record", request.record());
        optional(config, "bias0", request.bias0(), plan.tokens(), x.columns());
        optional(config, "bias1", request.bias1(), plan.tokens(), x.columns());
        if (null == request.bias0() && null != request.bias1())
        {
            throw new BadInputException("bias1 is given without bias0: one bias must be given as bias0");
        }

        optional(config, "output", request.output(), plan.tokens(), x.columns());
        if (null != request.outputWeights())
        {
            if (null == request.topkWeights())
            {
                throw new BadInputException(
                    "outputWeights are given without topkWeights: must be absent, or both be given");
            }

            shape("outputWeights", request.outputWeights(), DataType.F32, plan.tokens(), topk);
            seen(config, "outputWeights", request.outputWeights());
        }
    }

    private static void optional(
        final EngineConfig config, final String name, final Tensor tensor, final int rows, final int columns)
    {
        if (null != tensor)
        {
            shape(name, tensor, DataType.BF16, rows, columns);
            payload(config, name, tensor);
        }
    }

    private static void event(final EngineConfig config, final String name, final ForeignEvent event)
    {
        if (null != event && (!event.kind().equals(config.payloadKind()) || event.device() != config.device()))
        {
            throw new BadInputException(name + " is an event of " + event.kind() + " device " + event.device() +
                ": must be of transload.payload.kind = " + config.payloadKind() + ", transload.payload.device = " +
                config.device());
        }

        if (null != event && event.kind().isHost())
        {
            throw new BadInputException(name + " is an event of HOST memory, which has none: must be absent");
        }
    }

    private static void hidden(final EngineConfig config, final Tensor x, final int multiple)
    {
        if (0 != x.columns() % multiple || x.columns() > config.maxHidden())
        {
            throw new BadInputException("hidden = " + x.columns() + " is not allowed: must be a multiple of " +
                multiple + " for " + x.type() + " and at most transload.max-hidden = " + config.maxHidden());
        }
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

    /** Of memory that the engine looks into: host memory, or the payload's, which has a mirror there. */
    static void seen(final EngineConfig config, final String name, final Tensor tensor)
    {
        if (tensor.memory().kind().isHost())
        {
            open(name, tensor);
        }
        else if (config.payloadKind().isHost())
        {
            throw new BadInputException(
                name + " is in " + tensor.memory().kind() + " memory: must be in HOST memory");
        }
        else
        {
            payload(config, name, tensor);
        }

        if (tensor.bytes() > Integer.MAX_VALUE)
        {
            throw new BadInputException(name + " is " + tensor + ", " + tensor.bytes() + " bytes: must be at most " +
                Integer.MAX_VALUE + " bytes");
        }
    }

    private static void open(final String name, final Tensor tensor)
    {
        if (tensor.memory().isClosed())
        {
            throw new BadInputException(name + " is in memory that was closed: must be open until completion");
        }
    }

    private static void payload(final EngineConfig config, final String name, final Tensor tensor)
    {
        if (!tensor.memory().kind().equals(config.payloadKind()))
        {
            throw new BadInputException(name + " is in " + tensor.memory().kind() +
                " memory: must be in transload.payload.kind = " + config.payloadKind() + " memory");
        }

        if (tensor.memory().device() != config.device())
        {
            throw new BadInputException(name + " is on device " + tensor.memory().device() +
                ": must be on transload.payload.device = " + config.device());
        }

        tensor.memory().requireTransportsOf(name, config);
        open(name, tensor);
    }
}
