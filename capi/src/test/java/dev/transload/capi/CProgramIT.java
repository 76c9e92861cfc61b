/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.capi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs in C over {@code libtransload} as a build leaves it in {@code target/transload}. */
@Timeout(120)
class CProgramIT
{
    private static final Path BUILT = Path.of("target", "transload").toAbsolutePath();
    private static final String OLDEST_GLIBC = "2.17";

    @TempDir
    private Path folder;

    @BeforeEach
    void requireLibrary()
    {
        assumeTrue(Files.exists(library(System.getProperty("os.arch"))),
            "there is no libtransload.so: the build found no C compiler");
    }

    @Test
    void shouldDispatchAndCombineAsBruteForceSays() throws IOException, InterruptedException
    {
        final Path program = compile("ranks.c");
        final int port = freePort();
        final List<Process> ranks = new ArrayList<>();
        try
        {
            for (int rank = 0; rank < 4; rank++)
            {
                final ProcessBuilder builder = new ProcessBuilder(
                    program.toString(), String.valueOf(rank), "4", "2,2", "127.0.0.1:" + port);
                builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
                // With check:jni a thread of the JVM compares signal handlers with a table, which libjvm frees in
                // exit() while that thread runs: it warned of garbage. With this flag it does not look.
                builder.environment().put("TRANSLOAD_JVM_FLAGS",
                    "-Xcheck:jni -XX:+AllowUserSignalHandlers -XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
                ranks.add(builder.redirectErrorStream(true)
                    .redirectOutput(folder.resolve("rank" + rank).toFile()).start());
            }

            for (int rank = 0; rank < 4; rank++)
            {
                assertTrue(ranks.get(rank).waitFor(90, TimeUnit.SECONDS), "rank " + rank + " hangs: " + said(rank));
                assertEquals("rank " + rank + " of 4: all as brute force says\n", said(rank));
                assertEquals(0, ranks.get(rank).exitValue());
            }
        }
        finally
        {
            ranks.forEach(Process::destroyForcibly);
        }
    }

    @Test
    void shouldRunWithAnOldGlibcAndExportNothingElse() throws IOException, InterruptedException
    {
        for (final String architecture : List.of("amd64", "aarch64"))
        {
            if (!Files.exists(library(architecture)))
            {
                continue;
            }

            final String symbols = run(List.of("objdump", "-T", library(architecture).toString()));
            Pattern.compile("GLIBC_([0-9.]+)").matcher(symbols).results().map((found) -> found.group(1))
                .forEach((version) -> assertTrue(
                    Runtime.Version.parse(version).compareTo(Runtime.Version.parse(OLDEST_GLIBC)) <= 0,
                    architecture + " needs glibc " + version + ", newer than " + OLDEST_GLIBC));
            final List<String> exported = symbols.lines().filter((line) -> line.contains(" g "))
                .map((line) -> line.substring(line.lastIndexOf(' ') + 1)).toList();
            final String header = Files.readString(BUILT.resolve("include").resolve("transload.h"));
            final List<String> declared = Pattern.compile("TRANSLOAD_PUBLIC [a-z *]+?(transload_\\w+)\\(")
                .matcher(header).results().map((found) -> found.group(1)).sorted().toList();
            assertEquals(declared, exported.stream().sorted().toList(), architecture);
        }
    }

    /** It needs nothing else, and no extensions. */
    @Test
    void shouldHaveAHeaderThatStandsAlone() throws IOException, InterruptedException
    {
        final Path source = Files.writeString(folder.resolve("alone.c"), """
            #include "transload.h"
            int main(void) { return TRANSLOAD_API_VERSION == transload_version() ? 0 : 1; }
            """);
        final Path program = folder.resolve("alone");
        build(source, program, "-pedantic");
        run(List.of(program.toString()));
    }

    private Path compile(final String name) throws IOException, InterruptedException
    {
        final Path program = folder.resolve(name.replace(".c", ""));
        build(Path.of("src", "test", "c", name).toAbsolutePath(), program, "-pthread");
        return program;
    }

    private void build(final Path source, final Path program, final String flag)
        throws IOException, InterruptedException
    {
        final Path library = library(System.getProperty("os.arch"));
        run(List.of("cc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", flag, "-I" + BUILT.resolve("include"),
            "-o", program.toString(), source.toString(), library.toString(),
            "-Wl,-rpath," + library.getParent()));
    }

    private static Path library(final String architecture)
    {
        return BUILT.resolve("native").resolve("linux-" + architecture).resolve("libtransload.so");
    }

    private static int freePort() throws IOException
    {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            return socket.getLocalPort();
        }
    }

    private String said(final int rank) throws IOException
    {
        return Files.readString(folder.resolve("rank" + rank));
    }

    private static String run(final List<String> command) throws IOException, InterruptedException
    {
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (InputStream output = process.getInputStream())
        {
            final String text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, process.waitFor(), command + ": " + text);
            return text;
        }
    }
}
