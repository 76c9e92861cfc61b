/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The transport of the guide in a jar that is on no class path. */
final class MmapJar
{
    static final String SERVICE = "META-INF/services/dev.transload.spi.TransportProvider";

    private static final Path MODULE = Path.of("..", "examples", "transport-mmap", "src", "main");

    private MmapJar()
    {
    }

    /** Made of its sources. */
    static Path in(final Path folder) throws IOException
    {
        final Path classes = folder.resolve("classes");
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
            Stream<Path> sources = Files.walk(MODULE.resolve("java")))
        {
            assertTrue(compiler.getTask(null, files, null, List.of("-d", classes.toString(), "-classpath",
                System.getProperty("java.class.path"), "-proc:none"), null, files.getJavaFileObjectsFromPaths(
                sources.filter((file) -> file.toString().endsWith(".java")).toList())).call());
        }

        Files.createDirectories(classes.resolve(SERVICE).getParent());
        Files.copy(MODULE.resolve("resources").resolve(SERVICE), classes.resolve(SERVICE));
        return of(folder.resolve("mmap.jar"), classes);
    }

    static Path of(final Path jar, final Path classes) throws IOException
    {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
            Stream<Path> files = Files.walk(classes))
        {
            for (final Path file : files.filter(Files::isRegularFile).toList())
            {
                out.putNextEntry(new ZipEntry(classes.relativize(file).toString()));
                Files.copy(file, out);
            }
        }

        return jar;
    }
}
