/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.run;

import dev.transload.engine.BadInputException;
import dev.transload.engine.DataType;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.OutputShape;
import dev.transload.engine.Tensor;
import dev.transload.kernels.Fp8;

/** Whether an allocator brought what was asked for. */
final class OutputCheck
{
    private OutputCheck()
    {
    }

    static DispatchOutput check(final DispatchOutput output, final OutputShape shape)
    {
        if (null == output)
        {
            throw new BadInputException("the output allocator returned null: " + shape + " was asked for");
        }

        require("x", output.x(), shape.type(), shape.rows(), shape.hidden());
        if (DataType.F8_E4M3 == shape.type())
        {
            require("xScales", output.xScales(), DataType.F32, shape.rows(), Fp8.scales(shape.hidden()));
        }

        requireHost("topkIdx", output.topkIdx(), DataType.I64, shape.rows(), shape.topk());
        requireHost("topkWeights", output.topkWeights(), DataType.F32, shape.rows(), shape.topk());
        requireHost("srcTokenIdx", output.srcTokenIdx(), DataType.I32, shape.rows(), 1);
        return output;
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
