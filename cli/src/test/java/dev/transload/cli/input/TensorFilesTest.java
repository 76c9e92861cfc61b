/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.input;

import static dev.transload.cli.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.tensor.ElementKind;
import dev.transload.cli.tensor.SafetensorsWriter;
import dev.transload.cli.tensor.TensorInfo;
import dev.transload.engine.WorldConfig;
import dev.transload.reference.E4m3;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TensorFilesTest
{
    private static final int HIDDEN = 128;

    @TempDir
    private Path folder;

    @Test
    void shouldReadRowsAndRoutingOfEachRank() throws IOException
    {
        write(0, ElementKind.BF16, new long[]{ 0, 1, 2, -1 }, "4");
        write(1, ElementKind.BF16, new long[]{ 3, 2 }, "4");
        try (RunInput input = load(null, null))
        {
            assertEquals(4, input.experts());
            assertEquals(HIDDEN, input.hidden());
            assertEquals(3, input.tokens());
            assertArrayEquals(new long[]{ 3, 2 }, input.world().routing(1).idx());
            final short[] row = new short[HIDDEN];
            input.rows().bf16(0, 1, row);
            assertEquals((short)(HIDDEN + 5), row[5]);
        }
    }

    @Test
    void shouldReadFp8RowsWithScales() throws IOException
    {
        write(0, ElementKind.F8_E4M3, new long[]{ 0, 1 }, "4");
        write(1, ElementKind.F8_E4M3, new long[]{ 3, 2 }, "4");
        try (RunInput input = load(null, null))
        {
            final byte[] q = new byte[HIDDEN];
            final float[] scales = new float[1];
            input.rows().fp8(1, 0, q, scales);
            final short[] row = new short[HIDDEN];
            input.rows().bf16(1, 0, row);
            final short[] expected = new short[HIDDEN];
            E4m3.dequantize(q, scales, expected);

            assertEquals(7, q[7]);
            assertEquals(0.5f, scales[0]);
            assertArrayEquals(expected, row);
        }

        assertRefused(ExitCodes.BAD_INPUT, () -> load(null, "bf16"), "--dtype bf16", "F8_E4M3");
    }

    @Test
    void shouldRefuseWhatDoesNotFit() throws IOException
    {
        write(0, ElementKind.BF16, new long[]{ 0, 1 }, null);
        assertRefused(ExitCodes.BAD_INPUT, () -> load(4, null), "rank-0001.safetensors", "no such file");

        write(1, ElementKind.F8_E4M3, new long[]{ 0, 1 }, null);
        assertRefused(ExitCodes.BAD_INPUT, () -> load(4, null), "rank-0001.safetensors", "equal type");

        write(1, ElementKind.BF16, new long[]{ 0, 4 }, null);
        assertRefused(ExitCodes.BAD_INPUT, () -> load(null, null), "--experts");
        assertRefused(ExitCodes.BAD_INPUT, () -> load(4, null), "rank 1, token 0", "expert 4", "[0, 4)");
        assertRefused(ExitCodes.BAD_INPUT, () -> InputLoader.load(
            new InputOptions(null, null, folder.resolve("none").toString(), 4, null, null, null, 1),
            WorldConfig.of(1, 2)), "none");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0 | 3000000000 | 2 | x is BF16 [0, 3000000000], must be of sizes of at most 2147483647",
        "0 | 128 | 3000000000 | topk_idx is I64 [0, 3000000000], must be of sizes of at most 2147483647",
        "0 | 2147483640 | 2 | hidden = 2147483640 is not allowed: must be a positive multiple of 8, at most 1048576" })
    void shouldRefuseSizesThatOverflow(final long tokens, final long hidden, final long choices, final String sentence)
        throws IOException
    {
        for (int rank = 0; rank < 2; rank++)
        {
            try (SafetensorsWriter writer = new SafetensorsWriter(folder.resolve(TensorFiles.fileName(rank)), Map.of(),
                List.of(TensorInfo.of("x", ElementKind.BF16, tokens, hidden),
                    TensorInfo.of("topk_idx", ElementKind.I64, tokens, choices),
                    TensorInfo.of("topk_weights", ElementKind.F32, tokens, choices))))
            {
                writer.finish();
            }
        }

        assertRefused(ExitCodes.BAD_INPUT, () -> load(4, null), sentence);
    }

    private RunInput load(final Integer experts, final String dtype)
    {
        return InputLoader.load(
            new InputOptions(null, null, folder.toString(), experts, null, null, dtype, 1), WorldConfig.of(1, 2));
    }

    private void write(final int rank, final ElementKind kind, final long[] idx, final String experts)
        throws IOException
    {
        final int tokens = idx.length / 2;
        final List<TensorInfo> infos = new java.util.ArrayList<>(List.of(
            TensorInfo.of("x", kind, tokens, HIDDEN), TensorInfo.of("topk_idx", ElementKind.I64, tokens, 2),
            TensorInfo.of("topk_weights", ElementKind.F32, tokens, 2)));
        if (ElementKind.F8_E4M3 == kind)
        {
            infos.add(TensorInfo.of("x_scales", ElementKind.F32, tokens, 1));
        }

        try (SafetensorsWriter writer = new SafetensorsWriter(folder.resolve(TensorFiles.fileName(rank)),
            null == experts ? Map.of() : Map.of(TensorFiles.EXPERTS, experts), infos))
        {
            final ByteBuffer x = buffer(tokens * HIDDEN * kind.bytes());
            for (int i = 0; i < tokens * HIDDEN; i++)
            {
                if (ElementKind.BF16 == kind)
                {
                    x.putShort((short)i);
                }
                else
                {
                    x.put((byte)(i & 0x7));
                }
            }

            writer.write(x.flip());
            final ByteBuffer choices = buffer(idx.length * Long.BYTES);
            choices.asLongBuffer().put(idx);
            writer.write(choices);
            writer.write(buffer(idx.length * Float.BYTES));
            if (ElementKind.F8_E4M3 == kind)
            {
                final ByteBuffer scales = buffer(tokens * Float.BYTES);
                for (int token = 0; token < tokens; token++)
                {
                    scales.putFloat(0.5f);
                }

                writer.write(scales.flip());
            }

            writer.finish();
        }
    }

    private static ByteBuffer buffer(final int bytes)
    {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
