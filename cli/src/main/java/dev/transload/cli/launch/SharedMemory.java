/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How much of /dev/shm local ranks should take: a container has 64 MiB of it unless told otherwise. */
public final class SharedMemory
{
    private static final Logger LOG = LoggerFactory.getLogger(SharedMemory.class);
    private static final Path FOLDER = Path.of("/dev/shm");
    private static final long CONTAINER_BYTES = 64L << 20;
    private static final long MOST_BYTES = 512L << 20;

    /** Rings are most of what a rank keeps there; signals, counts and status need some room beside them. */
    private static final double RINGS = 0.75;

    private SharedMemory()
    {
    }

    /**
     * For the rings of one of so many ranks: all together at most 512 MiB, and 3/4 of what is free.
     *
     * @param ranks of this host.
     * @return bytes.
     */
    public static long ringBytes(final int ranks)
    {
        return Math.min((long)(RINGS * MOST_BYTES / ranks), mostRingBytes(ranks));
    }

    /**
     * For the rings of one of so many ranks, where memory is the only bound: all together 3/4 of what is free.
     *
     * @param ranks of this host.
     * @return bytes.
     */
    public static long mostRingBytes(final int ranks)
    {
        return (long)(RINGS * (freeBytes() / 4 * 3) / ranks);
    }

    /**
     * What is free.
     *
     * @return bytes.
     */
    public static long freeBytes()
    {
        if (!Files.isDirectory(FOLDER))
        {
            return Long.MAX_VALUE;
        }

        try
        {
            final FileStore store = Files.getFileStore(FOLDER);
            return store.getUsableSpace();
        }
        catch (final IOException ex)
        {
            LOG.debug("{} does not say what is free", FOLDER, ex);
            return CONTAINER_BYTES;
        }
    }
}
