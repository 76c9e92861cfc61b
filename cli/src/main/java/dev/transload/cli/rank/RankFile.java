/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.cli.tensor.ElementKind;
import dev.transload.cli.tensor.TensorFile;
import dev.transload.cli.tensor.TensorInfo;
import dev.transload.cli.verify.Expectation;
import dev.transload.cli.verify.Outputs;
import dev.transload.engine.DispatchOutput;
import dev.transload.engine.Tensor;
import dev.transload.reference.ReferenceLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;

/** All tensors of one rank's run as a file: inputs, layout, what dispatch delivered, what combine brought home. */
final class RankFile
{
    private final Expectation expectation;
    private final Outputs outputs;
    private final RankTensors tensors;
    private final HostMirrors mirrors;
    private final TensorFile file = new TensorFile();

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

        file.write(directory, expectation.rank(),
            Map.of("num_experts", String.valueOf(expectation.input().experts())));
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
        file.add(TensorInfo.of("is_token_in_rank", ElementKind.BOOL, inRank.length, ranks), (writer) ->
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
        file.add(TensorInfo.of("recv_src_token_idx", ElementKind.I32, outputs.rows()),
            (writer) -> HostTensors.write(writer, received.srcTokenIdx(), 0, outputs.rows()));
        addInts("recv_rank_prefix_sum", outputs.rankPrefixSum());
        addInts("recv_num_tokens_per_expert", outputs.rowsPerExpert());
    }

    private void addInts(final String name, final int[] values)
    {
        file.addInts(name, values, values.length);
    }

    private void addTensor(final String name, final Tensor tensor, final int rows)
    {
        HostTensors.add(file, name, tensor, rows);
    }
}
