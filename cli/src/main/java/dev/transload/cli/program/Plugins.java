/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.program;

import dev.transload.cli.outcome.CommandException;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.spi.TransportProvider;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.JarFile;

/**
 * Jars of others whose transports and row kernels a command finds: those of {@code --plugin} while this is open, and
 * those in {@code lib/ext}, which the launcher script puts on the class path.
 */
public final class Plugins implements AutoCloseable
{
    /** Of a command that takes such jars. */
    public static final String OPTION = "--plugin";

    private static final String CLASS_PATH = "java.class.path";
    private static final Path EXTENSIONS = Path.of("lib", "ext");
    private static final List<String> SERVICES = List.of("META-INF/services/" + TransportProvider.class.getName(),
        "META-INF/services/" + RowKernelsProvider.class.getName());

    private final ClassLoader loaderBefore = Thread.currentThread().getContextClassLoader();
    private final String classPathBefore = System.getProperty(CLASS_PATH);

    private Plugins()
    {
    }

    /**
     * Have this thread, those that it starts, and JVMs that this one starts find what the jars bring.
     *
     * @param jars of {@code --plugin}, may be none.
     * @return to close at the command's end.
     * @throws CommandException with exit code 2 for what is no such jar, there or in {@code lib/ext}.
     */
    public static Plugins open(final List<Path> jars)
    {
        final Plugins plugins = new Plugins();
        for (final String entry : plugins.classPathBefore.split(File.pathSeparator))
        {
            final Path path = Path.of(entry);
            if (null != path.getParent() && path.getParent().endsWith(EXTENSIONS))
            {
                services(path, path.toString());
            }
        }

        final Set<Path> paths = new LinkedHashSet<>();
        final Set<String> services = new LinkedHashSet<>();
        for (final Path jar : jars)
        {
            final String name = OPTION + " " + jar;
            services.addAll(services(jar, name));
            if (jar.toAbsolutePath().toString().contains(File.pathSeparator))
            {
                throw CommandException.badInput(
                    name + ": class paths cannot have " + File.pathSeparator + " in a name, move it elsewhere");
            }

            paths.add(jar.toAbsolutePath().normalize());
        }

        if (!jars.isEmpty() && services.isEmpty())
        {
            throw CommandException.badInput(OPTION + " " + jars.get(0) + ": it brings no transport, since it has no " +
                SERVICES.get(0) + " that names its provider");
        }

        plugins.find(paths);
        return plugins;
    }

    private void find(final Set<Path> paths)
    {
        if (paths.isEmpty())
        {
            return;
        }

        final List<URL> urls = new ArrayList<>();
        final StringBuilder classPath = new StringBuilder(classPathBefore);
        for (final Path path : paths)
        {
            urls.add(url(path));
            classPath.append(File.pathSeparator).append(path);
        }

        // Left open: threads of transports may end, and load classes to do so, after the command.
        Thread.currentThread().setContextClassLoader(new URLClassLoader(urls.toArray(new URL[0]), loaderBefore));
        // No loader of this JVM reads it any more, but the launcher of a rank hands it on. They stand at its end, since
        // an archive of classes is good for what a class path begins with.
        System.setProperty(CLASS_PATH, classPath.toString());
    }

    private static URL url(final Path path)
    {
        try
        {
            return path.toUri().toURL();
        }
        catch (final MalformedURLException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Those that a jar brings. */
    private static List<String> services(final Path path, final String name)
    {
        if (!Files.exists(path))
        {
            throw CommandException.badInput(name + ": there is no such file");
        }

        if (Files.isDirectory(path))
        {
            throw CommandException.badInput(name + ": it is a folder, must be a jar");
        }

        try (JarFile jar = new JarFile(path.toFile()))
        {
            return SERVICES.stream().filter((service) -> null != jar.getEntry(service)).toList();
        }
        catch (final IOException ex)
        {
            throw CommandException.badInput(name + ": it cannot be read as a jar: " + ex.getMessage(), ex);
        }
    }

    @Override
    public void close()
    {
        Thread.currentThread().setContextClassLoader(loaderBefore);
        System.setProperty(CLASS_PATH, classPathBefore);
    }
}
