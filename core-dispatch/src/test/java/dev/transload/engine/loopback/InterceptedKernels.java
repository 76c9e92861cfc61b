/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.loopback;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.spi.MemoryKind;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;

/** Row kernels of another provider, each call of which a test sees first. */
public abstract class InterceptedKernels implements RowKernelsProvider
{
    private final RowKernelsProvider intercepted;

    /**
     * In front of others.
     *
     * @param intercepted whose kernels do the work.
     */
    protected InterceptedKernels(final RowKernelsProvider intercepted)
    {
        this.intercepted = intercepted;
    }

    @Override
    public final MemoryKind kind()
    {
        return intercepted.kind();
    }

    @Override
    public final String section()
    {
        return intercepted.section();
    }

    @Override
    public final String unavailableBecause(final Map<String, String> options)
    {
        return intercepted.unavailableBecause(options);
    }

    @Override
    public final int devices(final Map<String, String> options)
    {
        return intercepted.devices(options);
    }

    @Override
    public final RowKernels open(final int device, final Map<String, String> options)
    {
        final RowKernels kernels = intercepted.open(device, options);
        return (RowKernels)Proxy.newProxyInstance(RowKernels.class.getClassLoader(), new Class<?>[]{RowKernels.class},
            (proxy, method, arguments) -> answer(kernels, method, arguments));
    }

    /**
     * A call, handed on unless a test has it otherwise.
     *
     * @param kernels   which do the work.
     * @param method    called.
     * @param arguments of the call, null for none.
     * @return what the caller gets.
     * @throws Throwable what the caller gets instead.
     */
    protected Object answer(final RowKernels kernels, final Method method, final Object[] arguments) throws Throwable
    {
        try
        {
            return method.invoke(kernels, arguments);
        }
        catch (final InvocationTargetException ex)
        {
            throw ex.getCause();
        }
    }
}
