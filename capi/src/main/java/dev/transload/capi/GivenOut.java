/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.capi;

import dev.transload.engine.DispatchHandle;
import java.util.Arrays;
import org.agrona.UnsafeApi;

/**
 * Tensors and handles that the C library has of an engine, by numbers above 0: it needs no references of JNI to them,
 * and gives many back at once. Thread-safe.
 */
final class GivenOut
{
    private static final int FIRST_CAPACITY = 64;

    private Object[] places = new Object[FIRST_CAPACITY];
    private int[] unused = new int[FIRST_CAPACITY];
    private int unusedCount;
    private int highest;

    /**
     * Give a tensor out.
     *
     * @param lease  or null for none.
     * @param fields get its number, 0 for none, and what {@link CallBridge#describe} writes.
     */
    void give(final MemoryPool.Lease lease, final Fields fields)
    {
        if (null == lease)
        {
            fields.put(0);
            fields.skip(CallBridge.TENSOR_FIELDS);
        }
        else
        {
            fields.put(put(lease));
            CallBridge.describe(lease.tensor(), fields);
        }
    }

    /** Give a lease or a handle out; its number. */
    synchronized int put(final Object one)
    {
        if (0 == unusedCount && highest + 1 == places.length)
        {
            places = Arrays.copyOf(places, 2 * places.length);
            unused = Arrays.copyOf(unused, places.length);
        }

        final int number = 0 == unusedCount ? ++highest : unused[--unusedCount];
        places[number] = one;
        return number;
    }

    synchronized DispatchHandle handle(final long number)
    {
        return (DispatchHandle)places[(int)number];
    }

    /** The program has done with those whose numbers, of 64 bits, lie at an address. */
    void takeBack(final long address, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            final Object one = remove((int)UnsafeApi.getLong(address + (long)i * Long.BYTES));
            if (one instanceof final MemoryPool.Lease lease)
            {
                lease.release();
            }
            else
            {
                ((DispatchHandle)one).close();
            }
        }
    }

    private synchronized Object remove(final int number)
    {
        final Object one = places[number];
        places[number] = null;
        unused[unusedCount++] = number;
        return one;
    }
}
