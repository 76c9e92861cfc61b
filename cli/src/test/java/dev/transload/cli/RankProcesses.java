/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** What the system tells of processes of ranks. */
final class RankProcesses
{
    /** A rank's threads bear it once all ranks are connected; Linux keeps 15 characters of a name. */
    private static final String ENGINE_THREAD = "transload-engin";

    private RankProcesses()
    {
    }

    static boolean isRank(final ProcessHandle process, final int rank)
    {
        return process.info().arguments().map(Arrays::asList).orElse(List.of()).contains("-Dtransload.rank=" + rank);
    }

    /** Whether it has met the others and calls its engine. */
    static boolean isExchanging(final ProcessHandle process)
    {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + process.pid() + "/task")))
        {
            return threads.anyMatch((thread) -> ENGINE_THREAD.equals(name(thread)));
        }
        catch (final IOException | UncheckedIOException ex)
        {
            System.err.println("process " + process.pid() + " or a thread of it is gone: " + ex.getMessage());
            return false;
        }
    }

    private static String name(final Path thread)
    {
        try
        {
            return Files.readString(thread.resolve("comm")).trim();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
