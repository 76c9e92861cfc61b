/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.loopback.InterceptedKernels;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import java.lang.reflect.Method;

/** Row kernels that take no operation of a kind, or complete none, once they are told so. */
final class FaultyKernels extends InterceptedKernels
{
    private String refused;
    private boolean isHung;
    private long completed;

    FaultyKernels(final RowKernelsProvider sound)
    {
        super(sound);
    }

    /** As a queue that has no room any more. */
    void refuse(final String operation)
    {
        refused = operation;
    }

    /** As a device that hangs. */
    void hang()
    {
        isHung = true;
    }

    @Override
    protected Object answer(final RowKernels kernels, final Method method, final Object[] arguments) throws Throwable
    {
        if (method.getName().equals(refused))
        {
            return RowKernels.BACK_PRESSURED;
        }

        if ("completedPosition".equals(method.getName()))
        {
            final long seen = kernels.completedPosition();
            completed = isHung ? completed : seen;
            return completed;
        }

        return super.answer(kernels, method, arguments);
    }
}
