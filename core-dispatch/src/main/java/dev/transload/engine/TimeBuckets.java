/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

/**
 * Buckets in which calls are counted by their duration. The upper bounds are 1, 2 and 5 times each power of ten, from
 * 10 µs to 10 s; one more bucket is for all longer durations. All engines use the same buckets, so that counts of
 * several ranks can be added.
 */
public final class TimeBuckets
{
    private static final long LEAST_NS = 10_000;
    private static final long MOST_NS = 10_000_000_000L;
    private static final int[] STEPS = { 1, 2, 5 };
    private static final long[] BOUNDS_NS = bounds();

    /** Number of buckets. */
    public static final int COUNT = BOUNDS_NS.length + 1;

    private TimeBuckets()
    {
    }

    /**
     * Returns the upper bound of a bucket.
     *
     * @param bucket index of the bucket, in [0, COUNT).
     * @return longest duration of the bucket in nanoseconds; {@link Long#MAX_VALUE} for the last bucket.
     */
    public static long boundNs(final int bucket)
    {
        return COUNT - 1 == bucket ? Long.MAX_VALUE : BOUNDS_NS[bucket];
    }

    /**
     * Returns the bucket of a duration.
     *
     * @param ns duration in nanoseconds.
     * @return index of the bucket, in [0, COUNT).
     */
    public static int of(final long ns)
    {
        int bucket = 0;
        while (bucket < BOUNDS_NS.length && ns > BOUNDS_NS[bucket])
        {
            bucket++;
        }

        return bucket;
    }

    private static long[] bounds()
    {
        final long[] bounds = new long[(int)Math.round(Math.log10((double)MOST_NS / LEAST_NS)) * STEPS.length + 1];
        long power = LEAST_NS;
        for (int i = 0; i < bounds.length; i++)
        {
            bounds[i] = power * STEPS[i % STEPS.length];
            power *= STEPS.length - 1 == i % STEPS.length ? 10 : 1;
        }

        return bounds;
    }
}
