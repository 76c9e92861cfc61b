/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Deletes private directories that failed peers of this host left behind, as soon as the operating system has released
 * the locks of the directories. Only one thread may use an object of this class. The thread calls {@link #cleanUp()} at
 * each heartbeat.
 */
public final class OrphanedDirectories
{
    /** A process that is being torn down may keep its lock a while; what outlives this is left to the next sweep. */
    private static final int MAX_ATTEMPTS = 100;

    private final Map<Path, Integer> attempts = new HashMap<>();

    /** Creates an empty list of directories. */
    public OrphanedDirectories()
    {
    }

    /**
     * Adds the directories of a failed peer of this host.
     *
     * @param directories paths of directories; empty paths are ignored.
     */
    public void add(final String... directories)
    {
        for (final String directory : directories)
        {
            if (!directory.isEmpty())
            {
                attempts.put(Path.of(directory), 0);
            }
        }

        cleanUp();
    }

    /** Tries again to delete the remaining directories. */
    public void cleanUp()
    {
        if (attempts.isEmpty())
        {
            return;
        }

        final List<Path> directories = new ArrayList<>(attempts.keySet());
        for (final Path directory : directories)
        {
            if (PrivateDirectory.deleteIfOrphaned(directory) || !Files.exists(directory) ||
                attempts.merge(directory, 1, Integer::sum) > MAX_ATTEMPTS)
            {
                attempts.remove(directory);
            }
        }
    }
}
