/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.acl;

import dev.transload.spi.TransportException;

/** A call of the ACL runtime failed; {@link #nativeStatus()} is its code. */
public final class AclException extends TransportException
{
    private static final long serialVersionUID = 1L;

    private AclException(final String call, final String where, final int code, final String text)
    {
        super(call + " failed on " + where + ": " + AclCode.describe(code) +
            (null == text || text.isBlank() ? "" : ": " + text.strip()), code, null);
    }

    /**
     * Of the call that has just failed in this thread.
     *
     * @param where it was made: the device, or what it was about.
     * @param code  of the call.
     * @return the exception, which names the call and repeats what the runtime says of it.
     */
    public static AclException of(final String where, final int code)
    {
        return new AclException(AclCalls.failedCall(), where, code, AclCalls.recentText());
    }

    /** Whether the device or the host lacked memory, which leaves it as usable as before. */
    public boolean isOutOfMemory()
    {
        return AclCode.OUT_OF_MEMORY == nativeStatus();
    }

    static void check(final String where, final int code)
    {
        if (AclCalls.SUCCESS != code)
        {
            throw of(where, code);
        }
    }

    static long value(final String where, final long result)
    {
        if (result < 0)
        {
            throw of(where, (int)-result);
        }

        return result;
    }
}
