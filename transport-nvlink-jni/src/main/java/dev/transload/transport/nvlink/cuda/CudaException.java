/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import dev.transload.spi.TransportException;

/** Thrown if a call of the CUDA driver fails. {@link #nativeStatus()} returns the CUresult. */
public final class CudaException extends TransportException
{
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception for a failed call.
     *
     * @param call   function of the driver, such as {@code cuMemAlloc}.
     * @param where  device or other object that the call concerned, for the message.
     * @param result CUresult of the call.
     */
    public CudaException(final String call, final String where, final int result)
    {
        super(call + " failed on " + where + ": " + describe(result), result, null);
    }

    /** Returns the text of a CUDA error. */
    public static String describe(final int result)
    {
        final String name = CudaCalls.errorName(result);
        final String text = CudaCalls.errorText(result);
        return (null == name ? "CUDA error" : name) + " (" + result + (null == text ? "" : ", " + text) + ")";
    }

    /** Returns whether the device had too little memory. The device remains usable after this error. */
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
