/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.gate.Aarch64Program;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The native libraries of all jars: which C library they need, and that those for aarch64 work. */
@Timeout(60)
class NativesTest
{
    /** Of RHEL 7; aarch64 has none before. */
    private static final String OLDEST_GLIBC = "2.17";
    private static final Comparator<String> BY_VERSION = Comparator.comparing(Runtime.Version::parse);

    /** The name of a library that the build puts among the module's classes. */
    private static final Pattern IN_A_JAR = Pattern.compile(
        "\"shim\\.name\" value=\"([^\"]+)\"(?:(?!shim\\.name)[\\s\\S])+?\\$\\{project\\.build\\.outputDirectory}");

    @TempDir
    private Path folder;

    @Test
    void shouldRunWithAnOldGlibc() throws IOException, InterruptedException
    {
        for (final String architecture : List.of("amd64", "aarch64"))
        {
            for (final Path library : libraries(architecture))
            {
                final String needed = neededGlibc(library);
                assertTrue(BY_VERSION.compare(needed, OLDEST_GLIBC) <= 0,
                    library + " needs glibc " + needed + ", newer than " + OLDEST_GLIBC + ": see api/src/main/c/dl.h");
            }
        }
    }

    /** The check above tells a function of glibc 2.25. */
    @Test
    void shouldTellALibraryThatNeedsANewerGlibc() throws IOException, InterruptedException
    {
        libraries(System.getProperty("os.arch"));
        final Path source = Files.writeString(folder.resolve("newer.c"), """
            #include <sys/random.h>
            long newer(char *byte) { return getrandom(byte, 1, 0); }
            """);
        final Path library = folder.resolve("libnewer.so");
        said(List.of("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString()));

        final String needed = neededGlibc(library);
        assertEquals("2.25", needed);
        assertTrue(BY_VERSION.compare(needed, OLDEST_GLIBC) > 0);
    }

    @Test
    void shouldWorkOnAarch64() throws IOException, InterruptedException
    {
        final String reason = Aarch64Program.unavailableBecause();
        if (null != reason)
        {
            LoudSkip.because("Libraries for aarch64 are not run: " + reason);
        }

        assertEquals(names(), new TreeSet<>(libraries("aarch64").stream().map((library) ->
            library.getFileName().toString().replaceFirst("^lib(.*)\\.so$", "$1")).toList()));
        final Process process = Aarch64Program.compile(Path.of("src/test/c/use_natives.c"), folder)
            .command(List.of(folder.resolve("aarch64").toString())).redirectErrorStream(true).start();
        final String absent = "libabsent.so.1: cannot open shared object file: No such file or directory; ";
        assertEquals(String.join("\n",
            "cores: 0, EINVAL",
            "rows: 0",
            "ucx: " + absent + "it has no function ucp_get_version",
            "cuda: " + absent + "it has no function cuInit, which drivers have from 470 (CUDA 11.4) on",
            "acl: " + absent + "it has no function aclInit, which CANN has from 8.1 on",
            "files: sent 7, received 7, 'packet', file new, closed 0, No such file or directory",
            ""), text(process));
        assertEquals(0, process.waitFor());
    }

    /** Copies of all libraries that the class path has for an architecture; where it has one, it has all. */
    private List<Path> libraries(final String architecture) throws IOException
    {
        final Path copies = Files.createDirectories(folder.resolve(architecture));
        for (final String name : names())
        {
            final String library = "lib" + name + ".so";
            try (InputStream resource =
                NativesTest.class.getResourceAsStream("/native/linux-" + architecture + "/" + library))
            {
                if (null != resource)
                {
                    Files.copy(resource, copies.resolve(library));
                }
            }
        }

        try (Stream<Path> copied = Files.list(copies))
        {
            final List<Path> libraries = copied.sorted().toList();
            assertTrue(libraries.isEmpty() || names().size() == libraries.size(), libraries.toString());
            if (libraries.isEmpty() && architecture.equals(System.getProperty("os.arch")))
            {
                LoudSkip.because("There are no native libraries: the build found no C compiler");
            }

            return libraries;
        }
    }

    /** As the modules' POMs say of what is in their jars. */
    private static Set<String> names() throws IOException
    {
        final Set<String> names = new TreeSet<>();
        try (Stream<Path> modules = Files.list(Path.of("..")))
        {
            for (final Path pom : modules.map((module) -> module.resolve("pom.xml")).filter(Files::exists).toList())
            {
                IN_A_JAR.matcher(Files.readString(pom)).results()
                    .map((found) -> found.group(1)).forEach(names::add);
            }
        }

        assertFalse(names.isEmpty());
        return names;
    }

    private static String neededGlibc(final Path library) throws IOException, InterruptedException
    {
        return Pattern.compile("GLIBC_([0-9.]+)").matcher(said(List.of("objdump", "-T", library.toString()))).results()
            .map((MatchResult found) -> found.group(1)).max(BY_VERSION).orElse("2");
    }

    private static String said(final List<String> command) throws IOException, InterruptedException
    {
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String text = text(process);
        assertEquals(0, process.waitFor(), command + ": " + text);
        return text;
    }

    private static String text(final Process process) throws IOException
    {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
