/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import org.agrona.UnsafeApi;

/** Copies memory and reads every aligned 8-byte word of the source atomically. */
public final class WordCopy
{
    private static final int WORD_MASK = Long.BYTES - 1;

    private WordCopy()
    {
    }

    /**
     * Copies bytes. Source and destination must not overlap.
     *
     * @param src    address of the first byte to read.
     * @param dst    address of the first byte to write.
     * @param length length in bytes.
     */
    public static void copy(final long src, final long dst, final long length)
    {
        final long head = Math.min(length, -src & WORD_MASK);
        final long words = length - head & ~(long)WORD_MASK;
        UnsafeApi.copyMemory(src, dst, head);
        if (0 == (dst + head & WORD_MASK))
        {
            // Both ends aligned: the copy goes by words.
            UnsafeApi.copyMemory(src + head, dst + head, words);
        }
        else
        {
            for (long offset = head; offset < head + words; offset += Long.BYTES)
            {
                UnsafeApi.putLongUnaligned(null, dst + offset, UnsafeApi.getLongOpaque(null, src + offset));
            }
        }

        UnsafeApi.copyMemory(src + head + words, dst + head + words, length - head - words);
    }
}
