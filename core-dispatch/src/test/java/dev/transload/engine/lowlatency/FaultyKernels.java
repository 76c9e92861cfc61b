/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.loopback.InterceptedKernels;
import dev.transload.kernels.RowGates;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import java.lang.reflect.Method;
import java.util.function.IntPredicate;

/** Row kernels that take no operation of a kind, or complete none, once they are told so. */
final class FaultyKernels extends InterceptedKernels
{
    private String refused;
    private IntPredicate isLate = (opening) -> false;
    private LateGates gates;
    private boolean isHung;
    private boolean isSwift;
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

    /** From here on some openings of each gated copy, counted from 0, come when it has left. */
    void openLate(final IntPredicate openings)
    {
        isLate = openings;
    }

    /** Through which gated copies go. */
    LateGates gates()
    {
        return gates;
    }

    /** As a device that goes on between two looks at it. */
    void goOnBetweenLooks()
    {
        isSwift = true;
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
            if (isSwift)
            {
                kernels.progress();
            }

            return completed;
        }

        final Object answer = super.answer(kernels, method, arguments);
        if (answer instanceof RowGates && null == gates)
        {
            gates = new LateGates((RowGates)answer, (opening) -> isLate.test(opening));
        }

        return answer instanceof RowGates ? gates : answer;
    }
}
