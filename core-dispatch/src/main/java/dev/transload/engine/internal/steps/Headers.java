/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import dev.transload.kernels.StepSlots;
import org.agrona.UnsafeApi;

/** Headers of slots: which token a row is of, and which places it has. */
final class Headers
{
    private static final int SLOT_MASK = (1 << StepSlots.EXPERT_SHIFT) - 1;

    private Headers()
    {
    }

    /** For the selections of a token, which begin at {@code first}, that an owner has. */
    static void write(final long header, final Call call, final int token, final int first, final int owner)
    {
        int places = 0;
        for (int at = first; at < first + call.topk; at++)
        {
            if (call.expert[at] >= 0 && call.owner(call.expert[at]) == owner)
            {
                UnsafeApi.putInt(header + StepSlots.PLACES_OFFSET + (long)places * Integer.BYTES,
                    call.expert[at] % call.localExperts << StepSlots.EXPERT_SHIFT | call.slot[at]);
                places++;
            }
        }

        UnsafeApi.putInt(header, token);
        UnsafeApi.putInt(header + Integer.BYTES, places);
    }

    static int token(final long header)
    {
        return UnsafeApi.getInt(header);
    }

    static int places(final long header)
    {
        return UnsafeApi.getInt(header + Integer.BYTES);
    }

    static int local(final long header, final int place)
    {
        return place(header, place) >>> StepSlots.EXPERT_SHIFT;
    }

    static int slot(final long header, final int place)
    {
        return place(header, place) & SLOT_MASK;
    }

    private static int place(final long header, final int place)
    {
        return UnsafeApi.getInt(header + StepSlots.PLACES_OFFSET + (long)place * Integer.BYTES);
    }
}
