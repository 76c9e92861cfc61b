/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.cores;

import dev.transload.natives.BundledLibrary;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Binds threads to cores by {@code sched_setaffinity}. If this system call fails or is not available, this class logs
 * one message.
 */
public final class Affinity
{
    /** As in {@code lib<name>.so}. */
    static final String LIBRARY = "transload-cores";

    private static final Logger LOGGER = LoggerFactory.getLogger(Affinity.class);
    private static final AtomicBoolean HAS_WARNED = new AtomicBoolean();

    private Affinity()
    {
    }

    /**
     * Binds the calling thread to cores.
     *
     * @param cores cores that the thread may run on from now on, not empty.
     * @return true if the thread was bound.
     */
    public static boolean tie(final CoreSet cores)
    {
        final String failure = null == Native.UNAVAILABLE ? failure(cores) : Native.UNAVAILABLE;
        if (null != failure && !HAS_WARNED.getAndSet(true))
        {
            LOGGER.warn("transload.threads.cores has no effect here, threads run on any core: {}", failure);
        }

        return null == failure;
    }

    private static String failure(final CoreSet cores)
    {
        final int error = set(cores.words());
        return 0 == error ? null : "sched_setaffinity of cores " + cores + " failed with errno " + error;
    }

    /**
     * Tie the calling thread.
     *
     * @param mask words of 64 bits, core i in bit i mod 64 of word i / 64.
     * @return 0, or the error of the system.
     */
    private static native int set(long[] mask);

    /** The library is loaded when the first thread is tied: most engines tie none. */
    private static final class Native
    {
        /** Null where the library is there, else why not. */
        static final String UNAVAILABLE = load();

        private static String load()
        {
            try
            {
                BundledLibrary.load(Affinity.class, LIBRARY, path -> System.load(path));
                return null;
            }
            catch (final IOException | UnsatisfiedLinkError ex)
            {
                return ex.getMessage();
            }
        }
    }
}
