/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.run;

import dev.transload.engine.BadInputException;
import dev.transload.engine.DataType;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.Tensor;
import dev.transload.kernels.Fp8;

/** Whether an allocator brought what was asked for. */
final class OutputCheck
{
    private OutputCheck()
    {
    }

    static void check(
        final DispatchOutput output, final DataType type, final int rows, final int hidden, final int topk)
    {
        require("x", output.x(), type, rows, hidden);
        if (DataType.F8_E4M3 == type)
        {
            require("xScales", output.xScales(), DataType.F32, rows, Fp8.scales(hidden));
        }

        requireHost("topkIdx", output.topkIdx(), DataType.I64, rows, topk);
        requireHost("topkWeights", output.topkWeights(), DataType.F32, rows, topk);
        requireHost("srcTokenIdx", output.srcTokenIdx(), DataType.I32, rows, 1);
    }

    private static void requireHost(
        final String name, final Tensor tensor, final DataType type, final int rows, final int columns)
    {
        require(name, tensor, type, rows, columns);
        if (!tensor.memory().kind().isHost())
        {
            throw new BadInputException("output " + name + " is in " + tensor.memory().kind() +
                " memory: must be in HOST memory");
        }

        if (tensor.bytes() > Integer.MAX_VALUE)
        {
            throw new BadInputException("output " + name + " is " + tensor + ", " + tensor.bytes() +
                " bytes: must be at most " + Integer.MAX_VALUE + " bytes in HOST memory");
        }
    }

    private static void require(
        final String name, final Tensor tensor, final DataType type, final int rows, final int columns)
    {
        if (null == tensor || type != tensor.type() || tensor.rows() < rows || tensor.columns() != columns)
        {
            throw new BadInputException("output " + name + " is " + tensor + ": must be " + type + " [" + rows +
                " or more, " + columns + "]");
        }
    }
}
