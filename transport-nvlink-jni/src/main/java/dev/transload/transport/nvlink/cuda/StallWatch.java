/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import java.util.concurrent.TimeUnit;

/**
 * Detects that a stream with pending work makes no progress, because its kernel failed or hangs. To keep checks cheap,
 * the clock is read in only one of many checks, and the driver is queried at most once every few milliseconds.
 */
public final class StallWatch
{
    /**
     * The value of CUDA_ERROR_LAUNCH_TIMEOUT. {@link #look} returns it if the work makes no progress within the
     * timeout.
     */
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
     * Creates a watch of a stream.
     *
     * @param stream    stream to check.
     * @param timeoutNs time without progress after which the work counts as failed, in nanoseconds.
     */
    public StallWatch(final CudaStream stream, final long timeoutNs)
    {
        this.stream = stream;
        this.timeoutNs = timeoutNs;
    }

    /**
     * Checks the stream. Call it while the stream has incomplete work.
     *
     * @param completed value of the last completed launch, from {@link CudaStream#completed}.
     * @return 0 if no failure was detected, otherwise the CUDA error that ended the work.
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
