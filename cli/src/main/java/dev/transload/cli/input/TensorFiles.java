/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.input;

import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.tensor.ElementKind;
import dev.transload.cli.tensor.SafetensorsReader;
import dev.transload.cli.tensor.TensorInfo;
import dev.transload.reference.E4m3;
import dev.transload.reference.Routing;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Inputs of all ranks from {@code rank-0000.safetensors} and so on: rows are read when asked for, routing at once. */
final class TensorFiles implements RowSource
{
    /** Key of a file's metadata that holds E before padding. */
    static final String EXPERTS = "num_experts";

    private static final String X = "x";
    private static final String SCALES = "x_scales";
    private static final String IDX = "topk_idx";
    private static final String WEIGHTS = "topk_weights";

    private final List<SafetensorsReader> files = new ArrayList<>();
    private final boolean isStoredAsFp8;
    private final int hidden;
    private boolean isFp8;

    private TensorFiles(final Path directory, final int ranks)
    {
        if (!Files.isDirectory(directory))
        {
            throw CommandException.badInput("--input " + directory + ": there is no such directory");
        }

        try
        {
            for (int rank = 0; rank < ranks; rank++)
            {
                files.add(SafetensorsReader.open(directory.resolve(fileName(rank))));
            }

            final TensorInfo first = tensor(0, X, 2);
            this.isStoredAsFp8 = ElementKind.F8_E4M3 == first.kind();
            this.hidden = (int)checkedSize(0, first, 1);
            for (int rank = 0; rank < ranks; rank++)
            {
                check(rank, first);
            }
        }
        catch (final CommandException ex)
        {
            close();
            throw ex;
        }

        this.isFp8 = isStoredAsFp8;
    }

    static TensorFiles open(final Path directory, final int ranks)
    {
        return new TensorFiles(directory, ranks);
    }

    static String fileName(final int rank)
    {
        return String.format("rank-%04d.safetensors", rank);
    }

    boolean isStoredAsFp8()
    {
        return isStoredAsFp8;
    }

    int hidden()
    {
        return hidden;
    }

    /** Have BF16 rows cast to FP8. */
    void castToFp8()
    {
        isFp8 = true;
    }

    /** E of the files' metadata, 0 where they don't say. */
    int experts()
    {
        final String text = files.get(0).metadata().getOrDefault(EXPERTS, "0");
        return text.matches("\\d{1,9}") ? Integer.parseInt(text) : 0;
    }

    int topk()
    {
        return (int)checkedSize(0, tensor(0, IDX, 2), 1);
    }

    List<Routing> routings(final int firstChoices)
    {
        final List<Routing> routings = new ArrayList<>();
        final int stored = topk();
        for (int rank = 0; rank < files.size(); rank++)
        {
            final int tokens = (int)checkedSize(rank, tensor(rank, IDX, 2), 0);
            final ByteBuffer allIdx = files.get(rank).readAll(IDX);
            final ByteBuffer allWeights = files.get(rank).readAll(WEIGHTS);
            final long[] idx = new long[tokens * firstChoices];
            final float[] weights = new float[tokens * firstChoices];
            for (int i = 0; i < idx.length; i++)
            {
                final int at = i / firstChoices * stored + i % firstChoices;
                idx[i] = allIdx.getLong(at * Long.BYTES);
                weights[i] = allWeights.getFloat(at * Float.BYTES);
            }

            routings.add(new Routing(tokens, firstChoices, idx, weights));
        }

        return routings;
    }

    @Override
    public void bf16(final int rank, final int token, final short[] into)
    {
        if (isFp8)
        {
            final byte[] q = new byte[hidden];
            final float[] scales = new float[hidden / E4m3.GROUP];
            fp8(rank, token, q, scales);
            E4m3.dequantize(q, scales, into);
        }
        else
        {
            row(rank, X, token, hidden * Short.BYTES).asShortBuffer().get(into);
        }
    }

    @Override
    public void fp8(final int rank, final int token, final byte[] q, final float[] scales)
    {
        if (isStoredAsFp8)
        {
            row(rank, X, token, hidden).get(q);
            row(rank, SCALES, token, scales.length * Float.BYTES).asFloatBuffer().get(scales);
        }
        else
        {
            final short[] exact = new short[hidden];
            row(rank, X, token, hidden * Short.BYTES).asShortBuffer().get(exact);
            E4m3.quantize(exact, q, scales);
        }
    }

    @Override
    public void close()
    {
        files.forEach(SafetensorsReader::close);
    }

    private ByteBuffer row(final int rank, final String tensor, final int row, final int bytes)
    {
        final ByteBuffer into = ByteBuffer.allocate(bytes);
        files.get(rank).read(tensor, (long)row * bytes, into);
        return into;
    }

    private void check(final int rank, final TensorInfo first)
    {
        final TensorInfo x = tensor(rank, X, 2);
        if (ElementKind.BF16 != x.kind() && ElementKind.F8_E4M3 != x.kind() || x.kind() != first.kind() ||
            !x.shape().get(1).equals(first.shape().get(1)))
        {
            throw refuse(rank, X, x, "BF16 or F8_E4M3 [T, H], of equal type and H in all ranks' files (" +
                first.describe() + " in rank 0's)");
        }

        final long tokens = x.shape().get(0);
        final long choices = tensor(0, IDX, 2).shape().get(1);
        expect(rank, TensorInfo.of(IDX, ElementKind.I64, tokens, choices));
        expect(rank, TensorInfo.of(WEIGHTS, ElementKind.F32, tokens, choices));
        if (ElementKind.F8_E4M3 == x.kind())
        {
            expect(rank, TensorInfo.of(SCALES, ElementKind.F32, tokens, x.shape().get(1) / E4m3.GROUP));
        }
    }

    /** A size that an int can hold; a tensor without elements may claim any. */
    private static long checkedSize(final int rank, final TensorInfo tensor, final int dimension)
    {
        final long size = tensor.shape().get(dimension);
        if (size > Integer.MAX_VALUE)
        {
            throw refuse(rank, tensor.name(), tensor, "of sizes of at most " + Integer.MAX_VALUE);
        }

        return size;
    }

    private void expect(final int rank, final TensorInfo expected)
    {
        final TensorInfo found = tensor(rank, expected.name(), 2);
        if (!found.equals(expected))
        {
            throw refuse(rank, expected.name(), found, expected.describe());
        }
    }

    private TensorInfo tensor(final int rank, final String name, final int dimensions)
    {
        final TensorInfo tensor = files.get(rank).tensors().get(name);
        if (null == tensor)
        {
            throw CommandException.badInput(fileName(rank) + " has no tensor " + name + ": x, topk_idx, topk_weights " +
                "and, with FP8, x_scales are needed");
        }

        if (tensor.shape().size() != dimensions)
        {
            throw refuse(rank, name, tensor, dimensions + "-dimensional");
        }

        return tensor;
    }

    private static CommandException refuse(
        final int rank, final String name, final TensorInfo found, final String allowed)
    {
        return CommandException.badInput(
            fileName(rank) + ": " + name + " is " + found.describe() + ", must be " + allowed);
    }
}
