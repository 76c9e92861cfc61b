/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tensor;

/** Element types that the files of a run hold; the names are those of the format. */
public enum ElementKind
{
    /** Brain float. */
    BF16(2),
    /** FP8 E4M3. */
    F8_E4M3(1),
    /** IEEE 754 binary32. */
    F32(4),
    /** 32-bit integer. */
    I32(4),
    /** 64-bit integer. */
    I64(8),
    /** One byte, 0 or 1. */
    BOOL(1);

    private final int bytes;

    ElementKind(final int bytes)
    {
        this.bytes = bytes;
    }

    /**
     * Size of an element.
     *
     * @return bytes.
     */
    public int bytes()
    {
        return bytes;
    }
}
