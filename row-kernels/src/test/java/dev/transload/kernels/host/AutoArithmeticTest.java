/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.ScaleFormat;
import dev.transload.spi.RowList;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AutoArithmeticTest
{
    private static final int HIDDEN = 7168;

    private final BufferRegion source = new BufferRegion(HIDDEN * Bf16.BYTES);
    private final BufferRegion target = new BufferRegion(HIDDEN * Bf16.BYTES);
    private final BufferRegion scales = new BufferRegion(HIDDEN);

    @Test
    void shouldGoOverToVectorsWithTheSameBitsOnceTheyAreWorthIt()
    {
        assumeTrue(Modes.haveVectors(), "this JVM was started without vectors");
        for (int i = 0; i < HIDDEN; i++)
        {
            source.memory().putShort(i * Bf16.BYTES, (short)Bf16.fromFloat((i * 7919 % 2003 - 1001) / 64.0f));
        }

        try (RowKernels kernels = new HostRowKernels(new AutoArithmetic()))
        {
            final RowList rows = kernels.allocateRows(1);
            rows.set(0, 0, 0);
            quantize(kernels, rows);
            final byte[] expected = target.bytes();

            VectorWarmUp.countScalar(VectorForm.TO_FP8, VectorForm.WORTH_BYTES);
            assertTimeout(Duration.ofMinutes(2), () ->
            {
                while (!VectorWarmUp.isSettled(VectorForm.TO_FP8))
                {
                    quantize(kernels, rows);
                }
            });

            assertTrue(VectorWarmUp.isReady(VectorForm.TO_FP8), "vectors of this JVM are refused");
            target.memory().put(0, new byte[HIDDEN]);
            quantize(kernels, rows);
            assertArrayEquals(expected, target.bytes());
        }
    }

    private void quantize(final RowKernels kernels, final RowList rows)
    {
        kernels.quantizeRows(source, target, rows, scales, rows, 0, 1, HIDDEN, ScaleFormat.AMAX);
    }
}
