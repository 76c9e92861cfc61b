/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import dev.transload.cli.rank.HostMirrors;
import dev.transload.cli.rank.HostTensors;
import dev.transload.cli.tensor.ElementKind;
import dev.transload.cli.tensor.SafetensorsWriter;
import dev.transload.cli.tensor.TensorFile;
import dev.transload.cli.tensor.TensorInfo;
import dev.transload.engine.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/**
 * All tensors of one rank's last call as a file: inputs, layout, what dispatch delivered, what combine brought home.
 * Of the rows of an expert, those beyond its count are zeroes in the file, and their source token index is -1.
 */
final class LowLatencyFile
{
    private static final int PIECE_BYTES = 1 << 20;

    private final CallExpectation expectation;
    private final CallOutputs outputs;
    private final LowLatencyTensors tensors;
    private final HostMirrors mirrors;
    private final TensorFile file = new TensorFile();

    /** Outputs are in host memory already, inputs are brought there. */
    LowLatencyFile(
        final CallExpectation expectation,
        final CallOutputs outputs,
        final LowLatencyTensors tensors,
        final HostMirrors mirrors)
    {
        this.expectation = expectation;
        this.outputs = outputs;
        this.tensors = tensors;
        this.mirrors = mirrors;
    }

    void write(final Path directory)
    {
        final int call = expectation.call();
        add("x", mirrors.of(tensors.x(0, call)));
        add("topk_idx", tensors.topkIdx(call));
        add("topk_weights", tensors.topkWeights(call));
        addRows("recv_x", outputs.received().x());
        if (null != outputs.received().xScales())
        {
            addRows("recv_x_scales", outputs.received().xScales());
        }

        final CallInput input = expectation.input();
        final int experts = input.expertsPerRank();
        final int[] counts = new int[experts];
        final int[] sources = new int[experts * outputs.rowsPerExpert()];
        final long[] ranges = new long[experts * input.ranks()];
        Arrays.fill(sources, -1);
        for (int expert = 0; expert < experts; expert++)
        {
            counts[expert] = outputs.count(expert);
            for (int row = 0; row < counts[expert]; row++)
            {
                sources[expert * outputs.rowsPerExpert() + row] = outputs.srcInfo(expert, row);
            }

            for (int source = 0; source < input.ranks(); source++)
            {
                ranges[expert * input.ranks() + source] =
                    (long)outputs.begin(expert, source) << Integer.SIZE | outputs.count(expert, source);
            }
        }

        file.addInts("recv_count", counts, experts);
        file.addInts("recv_src_info", sources, experts, outputs.rowsPerExpert());
        file.addLongs("recv_layout_range", ranges, experts, input.ranks());
        add("combined_x", outputs.combined());
        file.write(directory, expectation.rank(), Map.of("num_experts", String.valueOf(input.input().experts())));
    }

    private void add(final String name, final Tensor tensor)
    {
        HostTensors.add(file, name, tensor, tensor.rows());
    }

    private void addRows(final String name, final Tensor tensor)
    {
        final int experts = expectation.input().expertsPerRank();
        final ElementKind kind = HostTensors.kind(tensor);
        file.add(TensorInfo.of(name, kind, experts, outputs.rowsPerExpert(), tensor.columns()), (writer) ->
        {
            for (int expert = 0; expert < experts; expert++)
            {
                final int rows = outputs.count(expert);
                HostTensors.write(writer, tensor, expert * outputs.rowsPerExpert(), rows);
                writeZeroes(writer, (outputs.rowsPerExpert() - rows) * tensor.rowBytes());
            }
        });
    }

    private static void writeZeroes(final SafetensorsWriter writer, final long bytes) throws IOException
    {
        for (long left = bytes; left > 0; left -= PIECE_BYTES)
        {
            writer.write(ByteBuffer.allocate((int)Math.min(PIECE_BYTES, left)));
        }
    }
}
