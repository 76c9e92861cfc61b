/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.BadInputException;
import dev.transload.engine.DataType;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.Tensor;
import dev.transload.kernels.Fp8;

/** Whether an allocator brought what was asked for. */
final class OutputCheck
{
    private OutputCheck()
    {
    }

    static void check(
        final EngineConfig config, final DispatchOutput output, final DataType type, final int rows,
        final int hidden, final int topk)
    {
        require("output x", output.x(), type, rows, hidden);
        if (DataType.F8_E4M3 == type)
        {
            require("output xScales", output.xScales(), DataType.F32, rows, Fp8.scales(hidden));
        }

        if (0 == topk)
        {
            return;
        }

        requireSeen(config, "output topkIdx", output.topkIdx(), DataType.I64, rows, topk);
        requireSeen(config, "output topkWeights", output.topkWeights(), DataType.F32, rows, topk);
        requireSeen(config, "output srcTokenIdx", output.srcTokenIdx(), DataType.I32, rows, 1);
    }

    private static void requireSeen(
        final EngineConfig config, final String name, final Tensor tensor, final DataType type, final int rows,
        final int columns)
    {
        require(name, tensor, type, rows, columns);
        CallChecks.seen(config, name, tensor);
    }

    private static void require(
        final String name, final Tensor tensor, final DataType type, final int rows, final int columns)
    {
        if (null == tensor || type != tensor.type() || tensor.rows() < rows || tensor.columns() != columns)
        {
            throw new BadInputException(name + " is " + tensor + ": must be " + type + " [" + rows +
                " or more, " + columns + "]");
        }
    }
}
