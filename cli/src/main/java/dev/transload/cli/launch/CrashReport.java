/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is left of a rank that native code ended: the last lines that it and its libraries wrote, and the JVM's own
 * report. The folder of the run is deleted, so both are kept elsewhere.
 */
final class CrashReport
{
    private static final Logger LOG = LoggerFactory.getLogger(CrashReport.class);

    private final Path runFolder;
    private final List<Path> keepers;

    /**
     * Where to look and where to keep.
     *
     * @param runFolder which the ranks' JVMs write their reports to.
     * @param keepers   folders to keep a report in; the first that takes it.
     */
    CrashReport(final Path runFolder, final List<Path> keepers)
    {
        this.runFolder = runFolder;
        this.keepers = keepers;
    }

    /** What a rank's JVM is to write its report to. */
    static Path fileOf(final Path runFolder, final int rank)
    {
        return runFolder.resolve("crash-of-rank-" + rank + ".log");
    }

    /** Keeps what there is of a rank that is gone; empty where no folder takes it. */
    Optional<Path> keep(final RankChild child)
    {
        final String name = "transload-crash-of-rank-" + child.rank() + "-pid-" + child.pid() + ".log";
        for (final Path keeper : keepers)
        {
            final Path file = keeper.resolve(name);
            try
            {
                // Never into what is there, as behind a link that somebody else made in a folder for all users.
                Files.write(file, child.lastLines(), StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                final Path report = fileOf(runFolder, child.rank());
                if (Files.exists(report))
                {
                    Files.write(file, Files.readAllBytes(report), StandardOpenOption.APPEND);
                }

                return Optional.of(file);
            }
            catch (final IOException ex)
            {
                LOG.debug("{} cannot be written", file, ex);
            }
        }

        return Optional.empty();
    }
}
