/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

/** Host memory of a rank in another process, which the kit reaches by request since there can be no view of it. */
public interface ForeignMemory
{
    /**
     * Bytes as they are now.
     *
     * @param offset first byte.
     * @param length in bytes.
     * @return a copy.
     */
    byte[] read(long offset, int length);

    /**
     * Set bytes.
     *
     * @param offset first byte.
     * @param bytes  to be stored there.
     */
    void write(long offset, byte[] bytes);

    /**
     * An aligned word of 8 bytes in native order, read whole.
     *
     * @param offset of the word.
     * @return its value.
     */
    long word(long offset);

    /**
     * Set an aligned word of 8 bytes in native order, written whole.
     *
     * @param offset of the word.
     * @param value  to be stored there.
     */
    void word(long offset, long value);
}
