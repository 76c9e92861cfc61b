/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.wire;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Encoding of the words of meta messages: a value v ≥ 0 travels as −v−1, so that a word which nobody wrote (0) can be
 * told from the value 0. Readers zero the words they took.
 */
public final class EncodedWord
{
    private EncodedWord()
    {
    }

    /**
     * Write.
     *
     * @param index of the word in bytes.
     * @param value not negative.
     */
    public static void put(final UnsafeBuffer buffer, final int index, final int value)
    {
        buffer.putInt(index, -value - 1);
    }

    /**
     * Read.
     *
     * @param index of the word in bytes.
     * @throws IllegalStateException if the word was not written although its signal had come: a broken order.
     */
    public static int get(final UnsafeBuffer buffer, final int index)
    {
        final int word = buffer.getInt(index);
        if (word >= 0)
        {
            throw new IllegalStateException("meta word at " + index +
                " was not written though its signal came: the transport broke their order (rules ORD-2, ORD-8)");
        }

        return -(word + 1);
    }

    /**
     * Forget a message.
     *
     * @param index of its first word in bytes.
     */
    public static void clear(final UnsafeBuffer buffer, final int index, final int bytes)
    {
        buffer.setMemory(index, bytes, (byte)0);
    }
}
