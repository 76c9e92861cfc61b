/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.transport.ucx.internal.ucp.UcpCalls;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Whichever thread calls UCX, the device is current in it. */
class DeviceCallsTest
{
    /** UCX does nothing with memory in these. */
    private static final Set<String> PLAIN = Set.of("name", "hasNativeRows", "version", "statusText", "requestStatus",
        "requestFree", "remotePointer");

    @Test
    void shouldMakeTheDeviceCurrentBeforeEachCallThatMayTouchMemory() throws ReflectiveOperationException
    {
        final Set<String> without = new TreeSet<>();
        final Set<String> passed = new TreeSet<>();
        final UcpCalls ucx = (UcpCalls)Proxy.newProxyInstance(UcpCalls.class.getClassLoader(),
            new Class<?>[] {UcpCalls.class}, (proxy, method, arguments) ->
            {
                passed.add(method.getName());
                if (null == StandInRuntime.current())
                {
                    without.add(method.getName());
                }

                return zero(method.getReturnType());
            });
        final UcpCalls calls = new DeviceCalls(ucx, new StandInRuntime().open("", 1));
        for (final Method method : UcpCalls.class.getMethods())
        {
            StandInRuntime.unbind();
            final Class<?>[] types = method.getParameterTypes();
            final Object[] arguments = new Object[types.length];
            for (int i = 0; i < types.length; i++)
            {
                arguments[i] = zero(types[i]);
            }

            method.invoke(calls, arguments);
            assertTrue(passed.contains(method.getName()) || "bind".equals(method.getName()), method.getName());
            assertEquals(PLAIN.contains(method.getName()) ? null : Integer.valueOf(1), StandInRuntime.current(),
                method.getName());
        }

        assertEquals(new TreeSet<>(PLAIN), without);
    }

    private static Object zero(final Class<?> type)
    {
        return void.class == type || !type.isPrimitive() ? null : Array.get(Array.newInstance(type, 1), 0);
    }
}
