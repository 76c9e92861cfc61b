/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.cores;

import com.sun.jna.Function;
import com.sun.jna.LastErrorException;
import com.sun.jna.Memory;
import com.sun.jna.NativeLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ties threads to cores by {@code sched_setaffinity}; where that is not to be had, says so once. */
public final class Affinity
{
    private static final Logger LOGGER = LoggerFactory.getLogger(Affinity.class);
    private static final AtomicBoolean HAS_WARNED = new AtomicBoolean();
    private static final int CALLING_THREAD = 0;

    private Affinity()
    {
    }

    /**
     * Tie the calling thread.
     *
     * @param cores it may run on from now on, not empty.
     * @return whether it is tied.
     */
    public static boolean tie(final CoreSet cores)
    {
        try
        {
            set(cores);
            return true;
        }
        catch (final LastErrorException | LinkageError ex)
        {
            if (!HAS_WARNED.getAndSet(true))
            {
                LOGGER.warn("transload.threads.cores has no effect here, threads run on any core: {}", ex.toString());
            }

            return false;
        }
    }

    private static void set(final CoreSet cores)
    {
        final long[] words = cores.words();
        try (Memory mask = new Memory((long)words.length * Long.BYTES))
        {
            mask.write(0, words, 0, words.length);
            Function.getFunction("c", "sched_setaffinity", Function.THROW_LAST_ERROR)
                .invokeInt(new Object[]{CALLING_THREAD, new NativeLong(mask.size()), mask});
        }
    }
}
