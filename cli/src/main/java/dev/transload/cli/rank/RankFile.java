/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.tensor.ElementKind;
import dev.transload.cli.tensor.SafetensorsWriter;
import dev.transload.cli.tensor.TensorInfo;
import dev.transload.cli.verify.Expectation;
import dev.transload.cli.verify.Outputs;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.Tensor;
import dev.transload.reference.ReferenceLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** All tensors of one rank's run as a file: inputs, layout, what dispatch delivered, what combine brought home. */
final class RankFile
{
    private static final int PIECE_BYTES = 1 << 20;

    private final Expectation expectation;
    private final Outputs outputs;
    private final RankTensors tensors;
    private final HostMirrors mirrors;
    private final List<TensorInfo> infos = new ArrayList<>();
    private final List<Content> contents = new ArrayList<>();

    /** Writes the elements of one tensor. */
    @FunctionalInterface
    private interface Content
    {
        void write(SafetensorsWriter writer) throws IOException;
    }

    /** Outputs are in host memory already, inputs are brought there. */
    RankFile(
        final Expectation expectation, final Outputs outputs, final RankTensors tensors, final HostMirrors mirrors)
    {
        this.mirrors = mirrors;
        this.expectation = expectation;
        this.outputs = outputs;
        this.tensors = tensors;
    }

    void write(final Path directory)
    {
        addInputs();
        addLayout(expectation.layout());
        addReceived(outputs.received());
        addTensor("combined_x", outputs.combined(), outputs.combined().rows());
        addTensor("combined_topk_weights", outputs.combinedWeights(), outputs.combinedWeights().rows());

        final Path file = directory.resolve(String.format("rank-%04d.safetensors", expectation.rank()));
        final Map<String, String> metadata =
            Map.of("num_experts", String.valueOf(expectation.input().experts()));
        try
        {
            Files.createDirectories(directory);
            try (SafetensorsWriter writer = new SafetensorsWriter(file, metadata, infos))
            {
                for (final Content content : contents)
                {
                    content.write(writer);
                }

                writer.finish();
            }
        }
        catch (final IOException ex)
        {
            throw CommandException.badInput("--output " + directory + ": " + file.getFileName() +
                " cannot be written: " + ex.getMessage(), ex);
        }
    }

    private void addInputs()
    {
        addTensor("x", mirrors.of(tensors.x()), tensors.x().rows());
        if (null != tensors.xScales())
        {
            addTensor("x_scales", mirrors.of(tensors.xScales()), tensors.xScales().rows());
        }

        addTensor("topk_idx", tensors.topkIdx(), tensors.topkIdx().rows());
        addTensor("topk_weights", tensors.topkWeights(), tensors.topkWeights().rows());
    }

    private void addLayout(final ReferenceLayout layout)
    {
        addInts("num_tokens_per_rank", layout.tokensPerRank());
        addInts("num_tokens_per_node", layout.tokensPerNode());
        addInts("num_tokens_per_expert", layout.tokensPerExpert());
        final boolean[][] inRank = layout.tokenInRank();
        final int ranks = layout.tokensPerRank().length;
        infos.add(TensorInfo.of("is_token_in_rank", ElementKind.BOOL, inRank.length, ranks));
        contents.add((writer) ->
        {
            final ByteBuffer bytes = ByteBuffer.allocate(inRank.length * ranks);
            for (final boolean[] token : inRank)
            {
                for (final boolean isIn : token)
                {
                    bytes.put((byte)(isIn ? 1 : 0));
                }
            }

            writer.write(bytes.flip());
        });
    }

    private void addReceived(final DispatchOutput received)
    {
        addTensor("recv_x", received.x(), outputs.rows());
        if (null != received.xScales())
        {
            addTensor("recv_x_scales", received.xScales(), outputs.rows());
        }

        addTensor("recv_topk_idx", received.topkIdx(), outputs.rows());
        addTensor("recv_topk_weights", received.topkWeights(), outputs.rows());
        infos.add(TensorInfo.of("recv_src_token_idx", ElementKind.I32, outputs.rows()));
        contents.add((writer) -> writeRows(writer, received.srcTokenIdx(), outputs.rows()));
        addInts("recv_rank_prefix_sum", outputs.rankPrefixSum());
        addInts("recv_num_tokens_per_expert", outputs.rowsPerExpert());
    }

    private void addInts(final String name, final int[] values)
    {
        infos.add(TensorInfo.of(name, ElementKind.I32, values.length));
        contents.add((writer) ->
        {
            final ByteBuffer bytes =
                ByteBuffer.allocate(values.length * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            bytes.asIntBuffer().put(values);
            writer.write(bytes);
        });
    }

    private void addTensor(final String name, final Tensor tensor, final int rows)
    {
        infos.add(TensorInfo.of(name, ElementKind.valueOf(tensor.type().name()), rows, tensor.columns()));
        contents.add((writer) -> writeRows(writer, tensor, rows));
    }

    /** Host memory is little-endian on every machine that this runs on, as the format is. */
    private static void writeRows(final SafetensorsWriter writer, final Tensor tensor, final int rows)
        throws IOException
    {
        final long end = rows * tensor.rowBytes();
        for (long from = 0; from < end; from += PIECE_BYTES)
        {
            final int length = (int)Math.min(PIECE_BYTES, end - from);
            writer.write(tensor.memory().hostView(tensor.offset() + from, length));
        }
    }
}
