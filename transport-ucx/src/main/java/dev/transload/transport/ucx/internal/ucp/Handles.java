/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx.internal.ucp;

/** Refuses what UCX would crash on, as far as a number shows it. */
final class Handles
{
    private Handles()
    {
    }

    static void check(final long handle, final String name)
    {
        if (0 == handle)
        {
            throw new IllegalArgumentException(name + "=0: must be the native handle of an open UCX object");
        }
    }

    static void check(final long endpoint, final long remoteKey)
    {
        check(endpoint, "endpoint");
        check(remoteKey, "remoteKey");
    }

    static void checkMemory(final long local, final long length, final long remote)
    {
        if (length < 0)
        {
            throw new IllegalArgumentException("length=" + length + ": must not be negative");
        }

        if (length > 0 && (0 == local || 0 == remote))
        {
            throw new IllegalArgumentException(
                "address=0 (" + (0 == local ? "local" : "remote") + "): must be an address of memory");
        }
    }

    static void checkWord(final long remote)
    {
        if (0 == remote || 0 != (remote & Long.BYTES - 1))
        {
            throw new IllegalArgumentException(
                "dst=" + remote + ": must be the address of a 64-bit word, divisible by " + Long.BYTES);
        }
    }

    static void checkRows(final long rows, final int from, final int count, final long rowLength)
    {
        if (from < 0 || count < 0 || from + count < 0)
        {
            throw new IllegalArgumentException(
                "from=" + from + " count=" + count + ": must not be negative, nor end beyond " + Integer.MAX_VALUE);
        }

        if (rowLength < 0)
        {
            throw new IllegalArgumentException("rowLength=" + rowLength + ": must not be negative");
        }

        if (0 == rows)
        {
            throw new IllegalArgumentException("rows=0: must be the address of a row list");
        }
    }
}
