/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.verify;

import dev.transload.engine.Tensor;
import java.nio.ByteBuffer;

/** Rows of tensors in host memory, one by one, so that a tensor may be larger than a buffer can be. */
public final class HostRows
{
    private HostRows()
    {
    }

    /**
     * A row for the JVM.
     *
     * @param tensor in host memory.
     * @param row    in [0, rows).
     * @return its bytes, in native order.
     */
    public static ByteBuffer row(final Tensor tensor, final int row)
    {
        return tensor.memory().hostView(
            tensor.offset() + row * tensor.rowBytes(), Math.toIntExact(tensor.rowBytes()));
    }
}
