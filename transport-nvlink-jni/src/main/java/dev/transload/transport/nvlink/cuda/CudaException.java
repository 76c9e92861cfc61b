/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import dev.transload.spi.TransportException;

/** A call of the CUDA driver failed; {@link #nativeStatus()} is its CUresult. */
public final class CudaException extends TransportException
{
    private static final long serialVersionUID = 1L;

    /**
     * Of a call that failed.
     *
     * @param call   of the driver, such as {@code cuMemAlloc}.
     * @param where  it was made: the device, or what it was about.
     * @param result of the call.
     */
    public CudaException(final String call, final String where, final int result)
    {
        super(call + " failed on " + where + ": " + describe(result), result, null);
    }

    /** An error in words. */
    public static String describe(final int result)
    {
        final String name = CudaCalls.errorName(result);
        final String text = CudaCalls.errorText(result);
        return (null == name ? "CUDA error" : name) + " (" + result + (null == text ? "" : ", " + text) + ")";
    }

    /** Whether the device lacked memory, which leaves it as usable as before. */
    public boolean isOutOfMemory()
    {
        return CudaCalls.OUT_OF_MEMORY == nativeStatus();
    }

    static int check(final String call, final String where, final int result)
    {
        if (CudaCalls.SUCCESS != result)
        {
            throw new CudaException(call, where, result);
        }

        return result;
    }

    static long value(final String call, final String where, final long result)
    {
        if (result < 0)
        {
            throw new CudaException(call, where, (int)-result);
        }

        return result;
    }
}
