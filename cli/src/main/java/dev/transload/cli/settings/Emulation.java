/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.settings;

import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.spi.RegisteredProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Device transports over the emulator of their device's driver. A module builds it for its tests, as the one library
 * in the folder {@code emulator} of its build folder; it is never packaged.
 */
public final class Emulation
{
    /** Option by which a device transport is told the driver's library. */
    private static final String LIBRARY = "library";
    private static final String FOLDER = "emulator";
    private static final String JAR_PREFIX = "transload-";

    private Emulation()
    {
    }

    /**
     * Have transports use their emulators.
     *
     * @param settings   to run with.
     * @param found      transports with their jars.
     * @param transports names of those in use.
     * @return settings with the libraries.
     * @throws CommandException with exit code 2 if none of them has a device to emulate, with 3 if an emulator is not
     *                          built.
     */
    public static Settings apply(
        final Settings settings, final List<RegisteredProvider> found, final Set<String> transports)
    {
        final Map<String, String> libraries = new LinkedHashMap<>();
        for (final RegisteredProvider registered : found)
        {
            final String name = registered.provider().name();
            if (transports.contains(name) &&
                registered.provider().options().stream().anyMatch((option) -> LIBRARY.equals(option.key())))
            {
                libraries.put(Settings.ROOT + "." + name + "." + LIBRARY, library(name, Path.of(registered.jar())));
            }
        }

        if (libraries.isEmpty())
        {
            throw CommandException.badInput("--emulate: transport " + String.join(" and ", transports) +
                " has no device to emulate: a device transport must be named, e.g. --scale-up nvlink");
        }

        return settings.with(libraries);
    }

    private static String library(final String transport, final Path jar)
    {
        for (final Path folder : folders(jar))
        {
            if (Files.isDirectory(folder))
            {
                for (final Path file : files(folder, "*.so"))
                {
                    return file.toString();
                }
            }
        }

        throw new CommandException(ExitCodes.UNAVAILABLE, "--emulate: the emulator of transport " + transport +
            " is not built: " + String.join(" and ", folders(jar).stream().map(Path::toString).toList()) +
            " have no library; mvn test-compile in Transload's sources makes it, where there is a C compiler", null);
    }

    /** Beside the module's classes or jar; or, of a jar in the command line's own folder, in the module it is from. */
    private static List<Path> folders(final Path jar)
    {
        final List<Path> folders = new ArrayList<>();
        folders.add(jar.resolveSibling(FOLDER));
        final Path library = jar.getParent();
        final Path sources = library.resolve("../../..").normalize();
        for (final Path module : Files.isRegularFile(jar) ? files(sources, "*") : List.<Path>of())
        {
            if (jar.getFileName().toString().startsWith(JAR_PREFIX + module.getFileName() + "-"))
            {
                folders.add(module.resolve("target").resolve(FOLDER));
            }
        }

        return folders;
    }

    private static List<Path> files(final Path folder, final String pattern)
    {
        final List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder, pattern))
        {
            stream.forEach(files::add);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }

        return files;
    }
}
