/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

/**
 * Host memory of a rank in another process. The kit cannot map this memory and accesses it by requests to that process.
 */
public interface ForeignMemory
{
    /**
     * Reads bytes of the memory.
     *
     * @param offset offset of the first byte.
     * @param length number of bytes.
     * @return copy of the bytes.
     */
    byte[] read(long offset, int length);

    /**
     * Writes bytes to the memory.
     *
     * @param offset offset of the first byte.
     * @param bytes  bytes to write.
     */
    void write(long offset, byte[] bytes);

    /**
     * Reads an aligned 8-byte word atomically, in native byte order.
     *
     * @param offset offset of the word in bytes.
     * @return value of the word.
     */
    long word(long offset);

    /**
     * Writes an aligned 8-byte word atomically, in native byte order.
     *
     * @param offset offset of the word in bytes.
     * @param value  value to write.
     */
    void word(long offset, long value);
}
