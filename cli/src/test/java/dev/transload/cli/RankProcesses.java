/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import dev.transload.engine.CombineResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What is to be told of ranks' processes from outside. */
final class RankProcesses
{
    /** What a combine has delivered is told by an object of this class, which nobody needs before. */
    private static final String RESULT = CombineResult.class.getName();

    private RankProcesses()
    {
    }

    /** Arguments of a process. Java itself gives them up where they are longer than a page. */
    static List<String> arguments(final ProcessHandle process)
    {
        try
        {
            final byte[] line = Files.readAllBytes(Path.of("/proc/" + process.pid() + "/cmdline"));
            return List.of(new String(line, StandardCharsets.UTF_8).split("\0"));
        }
        catch (final IOException ex)
        {
            System.err.println("process " + process.pid() + " is gone: " + ex.getMessage());
            return List.of();
        }
    }

    static boolean isRank(final ProcessHandle process, final int rank)
    {
        return arguments(process).contains("-Dtransload.rank=" + rank);
    }

    /** Flag of JVMs that {@link #hasReceived} is to be asked about: each writes down which classes it loads. */
    static String tellingFlag(final Path folder)
    {
        return "-Xlog:class+load:file=" + folder.resolve("classes-of-%p.log");
    }

    /** Whether the process of a rank has completed a dispatch and a combine, so that iterations go on. */
    static boolean hasReceived(final ProcessHandle process, final Path folder)
    {
        try
        {
            final Path classes = folder.resolve("classes-of-" + process.pid() + ".log");
            return Files.exists(classes) && Files.readString(classes).contains(" " + RESULT + " ");
        }
        catch (final IOException ex)
        {
            throw new java.io.UncheckedIOException(ex);
        }
    }
}
