/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class AllocationWatchTest
{
    private final AllocationWatch watch = new AllocationWatch();
    private byte[] garbage;

    @Test
    void shouldRefuseWhatAllocatesAtThreeLooks()
    {
        assertEquals(AllocationWatch.STRIKES * AllocationWatch.CALLS, callsUntilRefused(true));
    }

    @Test
    void shouldForgiveWhatAllocatesNothing()
    {
        assertEquals(-1, callsUntilRefused(false));
    }

    private int callsUntilRefused(final boolean isAllocating)
    {
        for (int call = 1; call <= 2 * AllocationWatch.STRIKES * AllocationWatch.CALLS; call++)
        {
            final long before = watch.before(VectorForm.TO_FP8);
            if (isAllocating)
            {
                garbage = new byte[call & 0xFF];
            }

            if (watch.after(VectorForm.TO_FP8, before))
            {
                return call;
            }
        }

        return -1;
    }
}
