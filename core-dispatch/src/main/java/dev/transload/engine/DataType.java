/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/** Element type of a tensor. */
public enum DataType
{
    /** bfloat16, 16 bits. */
    BF16(2),
    /** FP8 E4M3. A separate tensor has one F32 scale for every 128 elements of a row. */
    F8_E4M3(1),
    /** IEEE 754 binary32. */
    F32(4),
    /** 32-bit two's complement. */
    I32(4),
    /** 64-bit two's complement. */
    I64(8);

    private final int bytes;

    DataType(final int bytes)
    {
        this.bytes = bytes;
    }

    /**
     * Returns the size of one element.
     *
     * @return bytes.
     */
    public int bytes()
    {
        return bytes;
    }
}
