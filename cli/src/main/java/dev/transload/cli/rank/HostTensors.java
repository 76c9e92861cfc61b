/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.cli.tensor.ElementKind;
import dev.transload.cli.tensor.SafetensorsWriter;
import dev.transload.cli.tensor.TensorFile;
import dev.transload.cli.tensor.TensorInfo;
import dev.transload.engine.Tensor;
import java.io.IOException;

/** Tensors in host memory on their way into a rank's file, in pieces, so that they may be larger than a buffer. */
public final class HostTensors
{
    private static final int PIECE_BYTES = 1 << 20;

    private HostTensors()
    {
    }

    /** Add a matrix. */
    public static void add(final TensorFile file, final String name, final Tensor tensor, final int rows)
    {
        file.add(TensorInfo.of(name, kind(tensor), rows, tensor.columns()),
            (writer) -> write(writer, tensor, 0, rows));
    }

    /** Type of a tensor in the file. */
    public static ElementKind kind(final Tensor tensor)
    {
        return ElementKind.valueOf(tensor.type().name());
    }

    /**
     * Write rows: host memory is little-endian on every machine that this runs on, as the format is.
     *
     * @param writer of the file.
     * @param tensor in host memory.
     * @param from   first row.
     * @param rows   count.
     * @throws IOException when the file cannot be written.
     */
    public static void write(
        final SafetensorsWriter writer, final Tensor tensor, final int from, final int rows) throws IOException
    {
        final long end = (from + (long)rows) * tensor.rowBytes();
        for (long at = from * tensor.rowBytes(); at < end; at += PIECE_BYTES)
        {
            final int length = (int)Math.min(PIECE_BYTES, end - at);
            writer.write(tensor.memory().hostView(tensor.offset() + at, length));
        }
    }
}
