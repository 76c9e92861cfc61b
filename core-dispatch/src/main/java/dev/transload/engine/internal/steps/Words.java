/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.steps;

import org.agrona.UnsafeApi;

/** Words by address: stored behind all that was stored before, and read ahead of all that is read after. */
final class Words
{
    private Words()
    {
    }

    static void store(final long address, final long word)
    {
        UnsafeApi.putLongRelease(null, address, word);
    }

    static long load(final long address)
    {
        return UnsafeApi.getLongAcquire(null, address);
    }
}
