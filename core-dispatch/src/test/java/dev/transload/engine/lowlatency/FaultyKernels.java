/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.spi.MemoryKind;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;

/** Row kernels of host memory that take no operation of a kind, or complete none, once they are told so. */
final class FaultyKernels implements RowKernelsProvider
{
    private final RowKernelsProvider host = new HostRowKernelsProvider();
    private String refused;
    private long completed = Long.MAX_VALUE;
    private RowKernels kernels;

    /** As a queue that has no room any more. */
    void refuse(final String operation)
    {
        refused = operation;
    }

    /** As a device that hangs. */
    void hang()
    {
        completed = kernels.completedPosition();
    }

    @Override
    public MemoryKind kind()
    {
        return host.kind();
    }

    @Override
    public String section()
    {
        return host.section();
    }

    @Override
    public String unavailableBecause(final Map<String, String> options)
    {
        return host.unavailableBecause(options);
    }

    @Override
    public int devices(final Map<String, String> options)
    {
        return host.devices(options);
    }

    @Override
    public RowKernels open(final int device, final Map<String, String> options)
    {
        kernels = host.open(device, options);
        final InvocationHandler handler = (proxy, method, arguments) ->
        {
            if (method.getName().equals(refused))
            {
                return RowKernels.BACK_PRESSURED;
            }

            if ("completedPosition".equals(method.getName()))
            {
                return Math.min(completed, kernels.completedPosition());
            }

            try
            {
                return method.invoke(kernels, arguments);
            }
            catch (final InvocationTargetException ex)
            {
                throw ex.getCause();
            }
        };

        return (RowKernels)Proxy.newProxyInstance(
            RowKernels.class.getClassLoader(), new Class<?>[]{RowKernels.class}, handler);
    }
}
