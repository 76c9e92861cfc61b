/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import dev.transload.cli.settings.Settings;
import dev.transload.kernels.host.HostRowKernelsProvider;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Command line of a rank's process: this JVM's program, class path, and flags but for those that are its own. */
final class ChildCommand
{
    /** Names the flags that the launcher script chose for a JVM that only launches others, with commas between. */
    private static final String OWN_FLAGS = "dev.transload.own-flags";

    /** Flags of ours alone: a second debugger could not listen, and each rank has its own number and streams. */
    private static final List<String> NOT_INHERITED =
        List.of("-agentlib:jdwp", "-Xrunjdwp", "-D" + Settings.RANK_PROPERTY + "=", "-Djava.io.tmpdir=",
            "-XX:ErrorFile=", "-D" + Settings.SWAPPED_PROPERTY, "-D" + OWN_FLAGS + "=");

    private final String mainClass;
    private final Path folder;
    private final String kernelsMode;

    ChildCommand(final String mainClass, final Path folder, final String kernelsMode)
    {
        this.mainClass = mainClass;
        this.folder = folder;
        this.kernelsMode = kernelsMode;
    }

    /** Of one rank. */
    List<String> of(final int rank)
    {
        return of(rank, ManagementFactory.getRuntimeMXBean().getInputArguments(), System.getProperty(OWN_FLAGS, ""));
    }

    List<String> of(final int rank, final List<String> flags, final String ownFlags)
    {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        final List<String> own = List.of(ownFlags.split(","));
        for (final String flag : flags)
        {
            if (!own.contains(flag) && NOT_INHERITED.stream().noneMatch(flag::startsWith))
            {
                command.add(flag);
            }
        }

        command.addAll(HostRowKernelsProvider.flagsOf(kernelsMode));
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
