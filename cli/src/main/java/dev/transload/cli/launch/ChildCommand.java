/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import dev.transload.cli.settings.Settings;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Command line of a rank's process: this JVM's program, flags and class path. */
final class ChildCommand
{
    /** Flags of ours alone: a second debugger could not listen, and each rank has its own number and streams. */
    private static final List<String> NOT_INHERITED =
        List.of("-agentlib:jdwp", "-Xrunjdwp", "-D" + Settings.RANK_PROPERTY + "=", "-Djava.io.tmpdir=",
            "-XX:ErrorFile=", "-D" + Settings.SWAPPED_PROPERTY);

    private final String mainClass;
    private final Path folder;

    ChildCommand(final String mainClass, final Path folder)
    {
        this.mainClass = mainClass;
        this.folder = folder;
    }

    List<String> of(final int rank)
    {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (final String flag : ManagementFactory.getRuntimeMXBean().getInputArguments())
        {
            if (NOT_INHERITED.stream().noneMatch(flag::startsWith))
            {
                command.add(flag);
            }
        }

        // What libraries write to the temporary directory, or a crash to the working one, goes away with the folder.
        command.add("-Djava.io.tmpdir=" + folder);
        command.add("-XX:ErrorFile=" + CrashReport.fileOf(folder, rank));
        command.add("-D" + Settings.RANK_PROPERTY + "=" + rank);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(mainClass);
        return command;
    }
}
