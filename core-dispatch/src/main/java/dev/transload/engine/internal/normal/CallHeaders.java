/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.internal.plan.Plan;
import dev.transload.engine.internal.world.Geometry;

/** What a call says in the header of its notify messages. */
final class CallHeaders
{
    private CallHeaders()
    {
    }

    static void set(final Call call, final Geometry geometry)
    {
        final Plan plan = call.plan();
        final boolean isDispatch = call instanceof DispatchCall;
        final int hidden = isDispatch ? ((DispatchCall)call).hidden() : ((CombineCall)call).hidden();
        final boolean isFp8 = isDispatch && ((DispatchCall)call).scaleBytes() > 0;
        final boolean isWeighted = !isDispatch && ((CombineCall)call).weightBytes() > 0;
        call.header().set(
            geometry, call.epoch(), call.number(), call.kind().ordinal(), hidden, plan.sendLayout().topk(),
            isFp8 ? 1 : 0, plan.sendLayout().experts(), plan.layout().ordinal(), plan.alignment(),
            Call.Kind.DISPATCH == call.kind() ? 0 : plan.callNumber(), isWeighted ? 1 : 0);
    }
}
