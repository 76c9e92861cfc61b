/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ReferenceArithmeticTest
{
    @Test
    void shouldQuantizeAndDequantizeAsTheVectorsSay()
    {
        final VectorFile vectors = VectorFile.open("fp8.safetensors");
        final int hidden = vectors.size("x", 1);
        final int groups = hidden / E4m3.GROUP;
        final short[] x = vectors.bf16("x");
        final byte[] expectedQ = vectors.bytes("q");
        final float[] expectedScale = vectors.f32("scale");
        final short[] expectedBack = vectors.bf16("back");
        for (int row = 0; row < vectors.size("x", 0); row++)
        {
            final byte[] q = new byte[hidden];
            final float[] scale = new float[groups];
            final short[] back = new short[hidden];
            E4m3.quantize(Arrays.copyOfRange(x, row * hidden, (row + 1) * hidden), q, scale);
            E4m3.dequantize(q, scale, back);

            assertArrayEquals(Arrays.copyOfRange(expectedQ, row * hidden, (row + 1) * hidden), q, "row " + row);
            assertArrayEquals(Arrays.copyOfRange(expectedScale, row * groups, (row + 1) * groups), scale);
            assertArrayEquals(Arrays.copyOfRange(expectedBack, row * hidden, (row + 1) * hidden), back);
        }
    }

    @Test
    void shouldRoundBf16ToNearestEven()
    {
        assertEquals((short)0x3F80, Bf16.fromFloat(Float.intBitsToFloat(0x3F808000)), "tie goes to even");
        assertEquals((short)0x3F82, Bf16.fromFloat(Float.intBitsToFloat(0x3F818000)), "tie goes to even");
        assertEquals((short)0x3F81, Bf16.fromFloat(Float.intBitsToFloat(0x3F808001)));
        assertEquals((short)0x7F80, Bf16.fromFloat(Float.MAX_VALUE), "rounds up to infinity");
        assertEquals(Bf16.NAN, Bf16.fromFloat(Float.intBitsToFloat(0xFFC12345)));
    }

    @Test
    void shouldSaturateE4m3()
    {
        assertEquals(0x7E, E4m3.fromFloat(1e9f));
        assertEquals((byte)0xFE, E4m3.fromFloat(Float.NEGATIVE_INFINITY));
        assertEquals(448.0f, E4m3.toFloat((byte)0x7E));
    }
}
