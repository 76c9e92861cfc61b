/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.capi;

import dev.transload.engine.DataType;
import org.agrona.UnsafeApi;

/** A structure of the C library in native memory: 64-bit fields, which are read or written one after the other. */
final class Fields
{
    private static final DataType[] TYPES = DataType.values();

    private long at;

    Fields(final long address)
    {
        at = address;
    }

    long next()
    {
        final long value = UnsafeApi.getLong(at);
        at += Long.BYTES;
        return value;
    }

    int nextInt()
    {
        return Math.toIntExact(next());
    }

    DataType nextType()
    {
        return TYPES[nextInt()];
    }

    void put(final long value)
    {
        UnsafeApi.putLong(at, value);
        at += Long.BYTES;
    }

    void skip(final int fields)
    {
        at += (long)fields * Long.BYTES;
    }

    static void putInts(final long address, final int[] values)
    {
        for (int i = 0; i < values.length; i++)
        {
            UnsafeApi.putInt(address + (long)i * Integer.BYTES, values[i]);
        }
    }
}
