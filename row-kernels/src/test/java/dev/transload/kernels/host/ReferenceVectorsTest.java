/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Fp8;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.ScaleFormat;
import dev.transload.spi.RowList;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ReferenceVectorsTest
{
    private static final int CAST_ROWS = 64;
    private static final int CAST_HIDDEN = 512;
    private static final int TOKENS = 40;
    private static final int NODES = 3;
    private static final int LOCAL_RANKS = 4;
    private static final int HIDDEN = 128;
    private static final long ROW_BYTES = HIDDEN * 2L;

    private final Safetensors fp8 = Safetensors.load("fp8");
    private final Safetensors combine = Safetensors.load("combine");
    private final Safetensors weightedSum = Safetensors.load("weighted-sum");

    static String[] modes()
    {
        return Modes.withAarch64();
    }

    @ParameterizedTest
    @MethodSource("modes")
    void shouldQuantizeWithAmaxScales(final String mode)
    {
        shouldQuantize(mode, ScaleFormat.AMAX, "q", "scale");
    }

    @ParameterizedTest
    @MethodSource("modes")
    void shouldQuantizeWithPowerOfTwoScales(final String mode)
    {
        shouldQuantize(mode, ScaleFormat.POWER_OF_TWO, "q_power_of_two", "scale_power_of_two");
    }

    private void shouldQuantize(
        final String mode, final ScaleFormat format, final String codes, final String scaleValues)
    {
        try (RowKernels kernels = Modes.open(mode);
            BufferRegion x = BufferRegion.of(fp8.tensor("x"));
            BufferRegion q = new BufferRegion(CAST_ROWS * CAST_HIDDEN);
            BufferRegion scales = new BufferRegion(CAST_ROWS * Fp8.scales(CAST_HIDDEN) * Float.BYTES))
        {
            final RowList rows = kernels.allocateRows(CAST_ROWS);
            final RowList scaleRows = kernels.allocateRows(CAST_ROWS);
            for (int i = 0; i < CAST_ROWS; i++)
            {
                rows.set(i, (long)i * CAST_HIDDEN * 2, (long)i * CAST_HIDDEN);
                scaleRows.set(i, -1, (long)i * Fp8.scales(CAST_HIDDEN) * Float.BYTES);
            }

            assertEquals(
                1, kernels.quantizeRows(x, q, rows, scales, scaleRows, 0, CAST_ROWS, CAST_HIDDEN, format));
            assertArrayEquals(fp8.tensor(scaleValues), scales.bytes());
            assertArrayEquals(fp8.tensor(codes), q.bytes());
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    void shouldDequantize(final String mode)
    {
        try (RowKernels kernels = Modes.open(mode);
            BufferRegion q = BufferRegion.of(fp8.tensor("q"));
            BufferRegion scales = BufferRegion.of(fp8.tensor("scale"));
            BufferRegion back = new BufferRegion(CAST_ROWS * CAST_HIDDEN * 2))
        {
            final RowList rows = kernels.allocateRows(CAST_ROWS);
            final RowList scaleRows = kernels.allocateRows(CAST_ROWS);
            for (int i = 0; i < CAST_ROWS; i++)
            {
                rows.set(i, (long)i * CAST_HIDDEN, (long)i * CAST_HIDDEN * 2);
                scaleRows.set(i, (long)i * Fp8.scales(CAST_HIDDEN) * Float.BYTES, -1);
            }

            kernels.dequantizeRows(q, back, rows, scales, scaleRows, 0, CAST_ROWS, CAST_HIDDEN);
            assertArrayEquals(fp8.tensor("back"), back.bytes());
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    void shouldSumWithWeightsInF32(final String mode)
    {
        assertArrayEquals(weightedSum.tensor("acc"), weightedSum(mode, ElementType.F32));
    }

    @ParameterizedTest
    @MethodSource("modes")
    void shouldSumWithWeightsToBf16(final String mode)
    {
        assertArrayEquals(weightedSum.tensor("out"), weightedSum(mode, ElementType.BF16));
    }

    private byte[] weightedSum(final String mode, final ElementType targetType)
    {
        final int tokens = 8;
        final int topK = 8;
        final int hidden = 64;
        final ByteBuffer weights = littleEndian(weightedSum.tensor("weights"));

        try (RowKernels kernels = Modes.open(mode);
            BufferRegion source = BufferRegion.of(weightedSum.tensor("rows"));
            BufferRegion target = new BufferRegion(tokens * hidden * targetType.bytes()))
        {
            final RowTable table = kernels.allocateWeightedTable(tokens, tokens * topK);
            for (int t = 0; t < tokens; t++)
            {
                table.beginRow(t);
                for (int k = 0; k < topK; k++)
                {
                    final int row = t * topK + k;
                    table.add(0, row, weights.getFloat(row * Float.BYTES));
                }
            }

            final Reduction reduction = new Reduction().source(0, source, 0, hidden * 2L, ElementType.BF16)
                .target(target, 0, (long)hidden * targetType.bytes(), targetType).hidden(hidden).weighted(true);
            kernels.reduceRows(reduction, table, 0, tokens);

            return target.bytes();
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    void shouldCombineOverTwoLevels(final String mode)
    {
        assertArrayEquals(combine.tensor("out"), combined(mode, ElementType.BF16, false));
    }

    @ParameterizedTest
    @MethodSource("modes")
    void shouldCombineOnTopOfBiases(final String mode)
    {
        assertArrayEquals(combine.tensor("out_bias"), combined(mode, ElementType.BF16, true));
    }

    @ParameterizedTest
    @MethodSource("modes")
    void shouldCombineF32Partials(final String mode)
    {
        assertArrayEquals(combine.tensor("out_wire_f32"), combined(mode, ElementType.F32, false));
    }

    private byte[] combined(final String mode, final ElementType wire, final boolean biased)
    {
        final byte[] present = combine.tensor("present");
        final long partialBytes = (long)HIDDEN * wire.bytes();

        try (RowKernels kernels = Modes.open(mode);
            BufferRegion source = BufferRegion.of(combine.tensor("rows"));
            BufferRegion bias0 = BufferRegion.of(combine.tensor("bias0"));
            BufferRegion bias1 = BufferRegion.of(combine.tensor("bias1"));
            BufferRegion partials = new BufferRegion(Math.toIntExact(TOKENS * NODES * partialBytes));
            BufferRegion target = new BufferRegion(Math.toIntExact(TOKENS * ROW_BYTES)))
        {
            final RowTable forward = kernels.allocateTable(TOKENS * NODES, present.length);
            final RowTable home = kernels.allocateTable(TOKENS, TOKENS * NODES);
            for (int t = 0; t < TOKENS; t++)
            {
                home.beginRow(t);
                for (int n = 0; n < NODES; n++)
                {
                    final int partial = t * NODES + n;
                    if (addPresentRows(forward, present, partial, partial) > 0)
                    {
                        home.add(0, partial);
                    }
                }
            }

            final Reduction reduction = new Reduction().source(0, source, 0, ROW_BYTES, ElementType.BF16)
                .target(partials, 0, partialBytes, wire).hidden(HIDDEN);
            kernels.reduceRows(reduction, forward, 0, forward.rows());
            reduction.source(0, partials, 0, partialBytes, wire).target(target, 0, ROW_BYTES, ElementType.BF16)
                .biases(biased ? bias0 : null, 0, biased ? bias1 : null, 0, ROW_BYTES);
            kernels.reduceRows(reduction, home, 0, TOKENS);

            return target.bytes();
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    void shouldCombineInsideOneNode(final String mode)
    {
        final byte[] present = combine.tensor("present");

        try (RowKernels kernels = Modes.open(mode);
            BufferRegion source = BufferRegion.of(combine.tensor("rows"));
            BufferRegion target = new BufferRegion(Math.toIntExact(TOKENS * ROW_BYTES)))
        {
            final RowTable table = kernels.allocateTable(TOKENS, TOKENS * LOCAL_RANKS);
            for (int t = 0; t < TOKENS; t++)
            {
                addPresentRows(table, present, t * NODES, t);
            }

            final Reduction reduction = new Reduction().source(0, source, 0, ROW_BYTES, ElementType.BF16)
                .target(target, 0, ROW_BYTES, ElementType.BF16).hidden(HIDDEN);
            kernels.reduceRows(reduction, table, 0, TOKENS);
            assertArrayEquals(combine.tensor("out_one_node"), target.bytes());
        }
    }

    private static int addPresentRows(
        final RowTable table, final byte[] present, final int node, final int target)
    {
        int added = 0;
        table.beginRow(target);
        for (int row = node * LOCAL_RANKS; row < (node + 1) * LOCAL_RANKS; row++)
        {
            if (0 != present[row])
            {
                table.add(0, row);
                added++;
            }
        }

        return added;
    }

    private static ByteBuffer littleEndian(final byte[] bytes)
    {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
