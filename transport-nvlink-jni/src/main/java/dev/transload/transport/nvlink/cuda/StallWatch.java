/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import java.util.concurrent.TimeUnit;

/**
 * Notices that a stream with work does not go on: a kernel that died does not say so, and one that hangs says nothing.
 * The clock is read once in many looks, the driver asked once in many milliseconds.
 */
public final class StallWatch
{
    /** CUDA_ERROR_LAUNCH_TIMEOUT, for work that is given up here. */
    public static final int TIMEOUT = 702;

    private static final int LOOKS = 64;
    private static final long QUERY_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private final CudaStream stream;
    private final long timeoutNs;
    private long seen = -1;
    private int looks;
    private long stalledSinceNs;
    private long nextQueryNs;

    /**
     * Of a stream.
     *
     * @param stream    to look at.
     * @param timeoutNs after which stalled work is given up.
     */
    public StallWatch(final CudaStream stream, final long timeoutNs)
    {
        this.stream = stream;
        this.timeoutNs = timeoutNs;
    }

    /**
     * While there is work that is not completed.
     *
     * @param completed value of the stream.
     * @return 0, or the CUDA error by which the work ended.
     */
    public int look(final long completed)
    {
        if (completed != seen)
        {
            seen = completed;
            looks = 0;
            stalledSinceNs = System.nanoTime();
            nextQueryNs = stalledSinceNs + QUERY_INTERVAL_NS;
            return 0;
        }

        if (++looks < LOOKS)
        {
            return 0;
        }

        looks = 0;
        final long nowNs = System.nanoTime();
        if (nowNs - nextQueryNs < 0)
        {
            return 0;
        }

        nextQueryNs = nowNs + QUERY_INTERVAL_NS;
        final int error = -stream.trouble();
        return 0 != error || nowNs - stalledSinceNs < timeoutNs ? error : TIMEOUT;
    }
}
