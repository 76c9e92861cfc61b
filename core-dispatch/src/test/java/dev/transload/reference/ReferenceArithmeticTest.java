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

    @Test
    void shouldWidenE4m3ByItsFields()
    {
        for (int code = 0; code < 0x7F; code++)
        {
            final int exponent = code >> 3;
            final double mantissa = (code & 7) / 8.0;
            final double value =
                0 == exponent ? mantissa * Math.pow(2, -6) : (1 + mantissa) * Math.pow(2, exponent - 7);
            assertEquals(value, E4m3.toFloat((byte)code), "code " + code);
            assertEquals(-value, E4m3.toFloat((byte)(code | 0x80)), "code " + code + ", negative");
        }

        assertEquals(Float.NaN, E4m3.toFloat((byte)0x7F));
        assertEquals(Float.NaN, E4m3.toFloat((byte)0xFF));
    }

    @Test
    void shouldRoundE4m3ToTheNearestCodeTiesToEven()
    {
        for (int code = 0; code < 0x7E; code++)
        {
            final float below = E4m3.toFloat((byte)code);
            final float above = E4m3.toFloat((byte)(code + 1));
            // Exact: neighbours have four bits each.
            final float middle = (below + above) / 2;
            assertCode(code, below);
            assertCode(code, Math.nextUp(below));
            assertCode(code, Math.nextDown(middle));
            assertCode(code + (code & 1), middle);
            assertCode(code + 1, Math.nextUp(middle));
            assertCode(code + 1, Math.nextDown(above));
        }

        assertCode(0, Float.MIN_VALUE);
        assertCode(0x7E, Math.nextUp(448.0f));
        assertEquals(0x7F, E4m3.fromFloat(Float.intBitsToFloat(0xFFC12345)));
    }

    private static void assertCode(final int code, final float value)
    {
        assertEquals((byte)code, E4m3.fromFloat(value), () -> "of " + value);
        assertEquals((byte)(code | 0x80), E4m3.fromFloat(-value), () -> "of " + -value);
    }
}
