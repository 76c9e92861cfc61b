/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What this process holds of the system.
 *
 * @param files         descriptors open.
 * @param threads       of the process, native ones too.
 * @param segments      mappings of shared memory of either kind.
 * @param sharedBytes   of those, as far as pages are in use.
 * @param residentBytes of the process.
 */
record ProcessFootprint(long files, long threads, long segments, long sharedBytes, long residentBytes)
{
    private static final Path SELF = Path.of("/proc/self");
    private static final long KIB = 1024;

    static ProcessFootprint now()
    {
        long segments = 0;
        long sharedBytes = 0;
        boolean isShared = false;
        for (final String line : lines("smaps"))
        {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*"))
            {
                isShared = line.contains("ucx_shm_posix") || line.contains("/SYSV");
                segments += isShared ? 1 : 0;
            }
            else if (isShared && line.startsWith("Rss:"))
            {
                sharedBytes += kibibytes(line);
            }
        }

        return new ProcessFootprint(count("fd"), count("task"), segments, sharedBytes,
            lines("status").stream().filter((line) -> line.startsWith("VmRSS:"))
                .mapToLong(ProcessFootprint::kibibytes).sum());
    }

    private static long kibibytes(final String line)
    {
        return Long.parseLong(line.replaceAll("\\D", "")) * KIB;
    }

    private static long count(final String folder)
    {
        try (Stream<Path> entries = Files.list(SELF.resolve(folder)))
        {
            return entries.count();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static List<String> lines(final String file)
    {
        try
        {
            return Files.readAllLines(SELF.resolve(file));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
