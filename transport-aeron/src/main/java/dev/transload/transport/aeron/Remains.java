/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Directories that dead peers of this host left: deleted as soon as the system has let go of their locks. */
final class Remains
{
    /** A process that is being torn down may keep its lock a while; what outlives this is left to the next sweep. */
    private static final int MAX_ATTEMPTS = 100;

    private final Map<Path, Integer> attempts = new HashMap<>();

    void add(final AeronContact peer)
    {
        add(peer.regionDirectory());
        add(peer.driverDirectory());
        cleanUp();
    }

    void cleanUp()
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

    private void add(final String directory)
    {
        if (!directory.isEmpty())
        {
            attempts.put(Path.of(directory), 0);
        }
    }
}
