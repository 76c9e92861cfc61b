/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Numbers from −1 to a greatest one, in as many bytes each as that needs: a handle keeps some for each token. */
final class SmallNumbers
{
    private static final VarHandle SHORT =
        MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.nativeOrder());
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());

    private byte[] bytes = new byte[0];
    private int width = 1;

    /**
     * Make room.
     *
     * @param count    of numbers, whose values are any.
     * @param greatest of them.
     */
    void begin(final int count, final int greatest)
    {
        width = greatest < 0xFF ? 1 : greatest < 0xFFFF ? Short.BYTES : Integer.BYTES;
        final int length = Math.multiplyExact(count, width);
        if (bytes.length < length)
        {
            bytes = new byte[length];
        }
    }

    /** Have the first numbers be −1. */
    void fillNone(final int count)
    {
        Arrays.fill(bytes, 0, count * width, (byte)0);
    }

    void set(final int index, final int value)
    {
        switch (width)
        {
            case 1 -> bytes[index] = (byte)(value + 1);
            case Short.BYTES -> SHORT.set(bytes, index * Short.BYTES, (short)(value + 1));
            default -> INT.set(bytes, index * Integer.BYTES, value + 1);
        }
    }

    int get(final int index)
    {
        return switch (width)
        {
            case 1 -> (bytes[index] & 0xFF) - 1;
            case Short.BYTES -> ((short)SHORT.get(bytes, index * Short.BYTES) & 0xFFFF) - 1;
            default -> (int)INT.get(bytes, index * Integer.BYTES) - 1;
        };
    }
}
