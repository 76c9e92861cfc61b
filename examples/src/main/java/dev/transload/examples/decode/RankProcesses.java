/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.decode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** One process a rank, as this one: the same program, whose arguments say which rank it is, and in which folder. */
final class RankProcesses implements AutoCloseable
{
    private final Path folder;
    private final List<Process> all = new CopyOnWriteArrayList<>();
    private final Thread hook = new Thread(() -> all.forEach(Process::destroyForcibly));

    private RankProcesses(final Path folder)
    {
        this.folder = folder;
        // Where this process is told to end, its ranks have to as well.
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Arguments {@code key=value}. */
    static Map<String, String> parse(final String[] arguments)
    {
        final Map<String, String> given = new HashMap<>();
        for (final String argument : arguments)
        {
            final int at = argument.indexOf('=');
            if (at <= 0)
            {
                throw new IllegalArgumentException(argument + " is not allowed: must be key=value");
            }

            given.put(argument.substring(0, at), argument.substring(at + 1));
        }

        return given;
    }

    /** Starts them; what they say is this process's, or lies in the folder, which is theirs. */
    static RankProcesses start(
        final Class<?> program, final Map<String, String> given, final int ranks, final Path folder,
        final boolean isKept) throws IOException
    {
        final RankProcesses processes = new RankProcesses(folder);
        for (int rank = 0; rank < ranks; rank++)
        {
            final List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
            given.forEach((key, value) -> command.add(key + "=" + value));
            command.addAll(List.of("rank=" + rank, "folder=" + folder));
            final ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
            if (isKept)
            {
                builder.redirectErrorStream(true).redirectOutput(folder.resolve("said-" + rank).toFile());
            }

            processes.all.add(builder.start());
        }

        return processes;
    }

    List<Process> all()
    {
        return all;
    }

    /** What was kept of what they have said. */
    String said() throws IOException
    {
        final StringBuilder said = new StringBuilder();
        for (int rank = 0; rank < all.size(); rank++)
        {
            said.append(Files.readString(folder.resolve("said-" + rank)));
        }

        return said.toString();
    }

    /** Ends them, and deletes their folder. */
    @Override
    public void close()
    {
        all.forEach(Process::destroyForcibly);
        Runtime.getRuntime().removeShutdownHook(hook);
        try (Stream<Path> files = Files.walk(folder))
        {
            for (final Path file : files.sorted(Comparator.reverseOrder()).toList())
            {
                Files.deleteIfExists(file);
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
