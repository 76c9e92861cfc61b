/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/** Element type of a token row. */
public enum ElementType
{
    /** bfloat16, 16 bits: the upper half of an IEEE 754 binary32. */
    BF16(2),
    /** IEEE 754 binary32. */
    F32(4),
    /** OCP FP8 E4M3: 4 exponent bits, 3 mantissa bits, largest finite value 448, no infinity. */
    F8_E4M3(1);

    private final int bytes;

    ElementType(final int bytes)
    {
        this.bytes = bytes;
    }

    /**
     * Returns the size of one element.
     *
     * @return number of bytes.
     */
    public int bytes()
    {
        return bytes;
    }
}
