/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import dev.transload.tck.ForeignMemory;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Objects of the SPI that stand for those in a rank's process and call their methods there. A list of rows is a list of
 * its own here; operations bring the entries that they name from here to there.
 */
final class Stubs implements Wire.Objects
{
    private final RankProcess process;
    private final Map<RowList, Integer> lists = new IdentityHashMap<>();

    /** Stands for one object. */
    private record Stub(RankProcess process, Class<?> type, int handle) implements InvocationHandler
    {
        @Override
        public Object invoke(final Object proxy, final Method method, final Object[] arguments)
        {
            switch (method.getName())
            {
                case "equals":
                    return proxy == arguments[0];
                case "hashCode":
                    return System.identityHashCode(proxy);
                case "toString":
                    return type.getSimpleName() + " " + handle + " of " + process.name();
                case "hostView":
                    throw new UnsupportedOperationException("there is no view of the memory of " + process.name());
                case "register":
                    throw new UnsupportedOperationException(
                        "memory of this process cannot be registered with the transport of " + process.name());
                case "startAfter":
                    throw new UnsupportedOperationException(
                        "a channel of " + process.name() + " cannot wait for kernels of this process");
                case "close":
                    return process.wasKilled() ? null : process.call(handle, method, arguments);
                default:
                    return process.call(handle, method, arguments);
            }
        }
    }

    Stubs(final RankProcess process)
    {
        this.process = process;
    }

    @Override
    public int handleOf(final Object object)
    {
        if (object instanceof RowList)
        {
            final Integer handle = lists.get(object);
            if (null == handle)
            {
                throw new IllegalArgumentException(
                    "the list was not allocated by the transport of " + process.name());
            }

            return handle;
        }

        if (Proxy.isProxyClass(object.getClass()) && Proxy.getInvocationHandler(object) instanceof final Stub stub &&
            process == stub.process)
        {
            return stub.handle;
        }

        throw new IllegalArgumentException(object + " does not belong to " + process.name());
    }

    /** Memory has more methods here, since there can be no view of it. */
    @Override
    public Object object(final int handle, final Class<?> type)
    {
        final Class<?>[] types =
            MemoryRegion.class == type ? new Class<?>[]{ type, ForeignMemory.class } : new Class<?>[]{ type };
        return Proxy.newProxyInstance(Stubs.class.getClassLoader(), types, new Stub(process, type, handle));
    }

    @Override
    public RowList rows(final int handle, final int capacity)
    {
        final RowList rows = new RowList(ByteBuffer.allocateDirect(capacity * RowList.STRIDE), capacity);
        lists.put(rows, handle);
        return rows;
    }

    /** The process has forgotten its objects. */
    void forgetRows()
    {
        lists.clear();
    }
}
