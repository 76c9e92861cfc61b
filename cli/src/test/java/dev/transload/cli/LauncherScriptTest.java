/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The launcher script in a tree of its own, whose Maven compiles one class and whose command says what it got. */
@Timeout(120)
class LauncherScriptTest
{
    /** Two builds at once would fail: one of them finds the other's mark. */
    private static final String MAVEN = """
        #!/usr/bin/env bash
        set -e
        mkdir building
        echo built >>builds
        echo "what a build has to say"
        mkdir -p cli/target/lib
        "$JAVA_HOME/bin/javac" -d cli/target/classes cli/src/main/Main.java
        "$JAVA_HOME/bin/jar" -c -f cli/target/lib/cli.jar -C cli/target/classes .
        echo native >cli/target/built
        rmdir building
        """;

    private static final String COMMAND = """
        package dev.transload.cli;
        public final class Main
        {
            public static void main(final String[] args) throws Exception
            {
                System.out.println("from native code");
                final var result = new java.io.PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.in));
                result.println("rank " + System.getProperty("transload.rank"));
                if (args.length > 1 && args[1].equals("archive"))
                {
                    result.println("archived " + java.lang.management.ManagementFactory.getRuntimeMXBean()
                        .getInputArguments().stream().anyMatch(flag -> flag.startsWith("-XX:SharedArchiveFile=")));
                    return;
                }

                if (args.length > 1 && args[1].equals("classpath"))
                {
                    result.println(System.getProperty("java.class.path"));
                    return;
                }

                final String pid = String.valueOf(ProcessHandle.current().pid());
                if (args.length > 1 && args[1].matches("-[A-Z]+"))
                {
                    new ProcessBuilder("kill", args[1], pid).start().waitFor();
                    Thread.currentThread().join();
                }

                if (args.length > 1 && args[1].matches("[0-9]+"))
                {
                    System.exit(Integer.parseInt(args[1]));
                }
            }
        }
        """;

    @TempDir
    private Path tree;

    @BeforeEach
    void makeTree() throws IOException
    {
        Files.copy(Program.scriptFile(), tree.resolve("transload"));
        Files.createDirectories(tree.resolve("cli/src/main"));
        Files.writeString(tree.resolve("cli/src/main/Main.java"), COMMAND);
        Files.writeString(tree.resolve("pom.xml"), "<project/>");
        Files.writeString(tree.resolve("cli/pom.xml"), "<project/>");
        final Path maven = Files.createDirectories(tree.resolve("bin")).resolve("mvn");
        Files.writeString(maven, MAVEN);
        assertTrue(maven.toFile().setExecutable(true));
        withoutArchive("exit 1");
    }

    /** Making one takes longer than all else here; without the properties of the jars there is none. */
    private void withoutArchive(final String script) throws IOException
    {
        final Path stat = Files.writeString(tree.resolve("bin/stat"), "#!/bin/sh\n" + script + "\n");
        assertTrue(stat.toFile().setExecutable(true));
    }

    @Test
    void shouldStartFromAnArchiveOfClassesThatFitsTheJars() throws Exception
    {
        Files.delete(tree.resolve("bin/stat"));
        final Map<String, String> place = Map.of("SLURM_PROCID", "0");
        for (final String name : List.of("first", "second"))
        {
            final Process rank = start(name, place, "run", "archive");
            assertEquals(0, exitCode(rank), err(name));
            assertEquals("rank 0\narchived true\n", out(name));
        }

        final List<Path> archives = archives();
        assertEquals(1, archives.size(), archives.toString());
        assertTrue(err("first").contains("preparing fast starts"), err("first"));
        assertFalse(err("second").contains("preparing"), err("second"));

        // Jars of others leave it as it is, and it serves with them.
        final Path other = Files.createDirectories(tree.resolve("lib/ext")).resolve("other.jar");
        Files.copy(tree.resolve("cli/target/lib/cli.jar"), other);
        final Path loaded = tree.resolve("loaded");
        assertEquals(0, exitCode(start("extended",
            Map.of("SLURM_PROCID", "0", "JAVA_TOOL_OPTIONS", "-Xlog:class+load:file=" + loaded), "run", "classpath")));
        assertEquals("rank 0\n" + tree.resolve("cli/target/lib/cli.jar") + ":" + other + "\n", out("extended"));
        assertEquals(archives, archives());
        assertTrue(Files.readString(loaded).contains("dev.transload.cli.Main source: shared objects file"));

        Files.writeString(tree.resolve("cli/src/main/Other.java"), "class Other { }");
        Files.setLastModifiedTime(tree.resolve("cli/target/built"), FileTime.fromMillis(1));
        final Process rank = start("third", place, "run", "archive");
        assertEquals(0, exitCode(rank), err("third"));
        assertEquals("rank 0\narchived true\n", out("third"));
        assertEquals(1, archives().size());
        assertNotEquals(archives, archives());
        // Builds keep it.
        assertTrue(Files.exists(other));
    }

    /** It would be the same again in each call. */
    @Test
    void shouldNotTryAgainWhereNoArchiveCanBeMade() throws Exception
    {
        Files.delete(tree.resolve("bin/stat"));
        Files.writeString(tree.resolve("cli/src/main/Main.java"), COMMAND.replace("\"rank \"", "1 / 0 + \"rank \""));
        for (final String name : List.of("first", "second"))
        {
            assertEquals(1, exitCode(start(name, Map.of("SLURM_PROCID", "0"), "run")));
            assertEquals("first".equals(name), err(name).contains("preparing fast starts"), err(name));
        }

        assertEquals(List.of(), archives());
    }

    @Test
    void shouldStartWithoutAnArchiveWhereTheFolderCannotBeWritten() throws Exception
    {
        assertRank("0", Map.of("SLURM_PROCID", "0"), "run");
        Files.delete(tree.resolve("bin/stat"));
        Files.move(tree.resolve(".transload"), tree.resolve("build-files"));
        // A file in its place: what is read-only can be written by root.
        Files.createFile(tree.resolve(".transload"));
        assertRank("0", Map.of("SLURM_PROCID", "0"), "run");
        assertEquals(1, err("rank").lines().count(), err("rank"));
    }

    private List<Path> archives() throws IOException
    {
        try (Stream<Path> files = Files.list(tree.resolve(".transload")))
        {
            return files.filter((file) -> file.toString().endsWith(".jsa")).toList();
        }
    }

    @Test
    void shouldBuildOnceHoweverManyRanksStartAtOnce() throws Exception
    {
        final List<Process> ranks = new ArrayList<>();
        for (int rank = 0; rank < 6; rank++)
        {
            ranks.add(start("many-" + rank, Map.of("OMPI_COMM_WORLD_RANK", String.valueOf(rank)), "run"));
        }

        for (int rank = 0; rank < 6; rank++)
        {
            assertEquals(0, exitCode(ranks.get(rank)), err("many-" + rank));
            assertEquals("rank " + rank + "\n", out("many-" + rank));
        }

        assertEquals("built\n", Files.readString(tree.resolve("builds")));
    }

    @Test
    void shouldTellTheRankOfEveryLauncherOnTheCommandLine() throws Exception
    {
        assertRank("3", Map.of("TRANSLOAD_RANK", "3", "SLURM_PROCID", "7"), "run");
        assertRank("7", Map.of("SLURM_PROCID", "7"), "run");
        assertRank("1", Map.of("RANK", "1", "WORLD_SIZE", "2"), "run");
        assertRank("null", Map.of("RANK", "1"), "run");
        assertRank("5", Map.of("JOB_COMPLETION_INDEX", "5"), "run");
        assertRank("5", Map.of("PET_NODE_RANK", "2", "PET_NPROC_PER_NODE", "2", "TRANSLOAD_LOCAL_RANK", "1",
            "JOB_COMPLETION_INDEX", "2"), "run");
        assertRank("9", Map.of("LWS_WORKER_INDEX", "2", "TRANSLOAD_RANKS_PER_POD", "4", "TRANSLOAD_LOCAL_RANK", "1"),
            "run");
        assertRank("3", Map.of("GROVE_PCSG_POD_INDEX", "3", "GROVE_PCLQ_POD_INDEX", "1"), "run");
        assertRank("null", Map.of("SLURM_PROCID", "7"), "transports");
        assertRank("null", Map.of(), "run");
    }

    /** What scripts/dist packs: no sources, and a Java runtime that goes before JAVA_HOME. */
    @Test
    void shouldRunADistributionOnItsOwnJava() throws Exception
    {
        assertRank("null", Map.of(), "run");
        final Path distribution = tree.resolve("distribution");
        final Path script = Files.createDirectories(distribution.resolve("bin")).resolve("transload");
        Files.copy(Program.scriptFile(), script);
        Files.move(tree.resolve("cli/target/lib"), distribution.resolve("lib"));
        Files.move(tree.resolve("cli/target/built"), distribution.resolve("lib/built"));
        Files.createSymbolicLink(distribution.resolve("jre"), Path.of(System.getProperty("java.home")));
        final Path link = Files.createSymbolicLink(tree.resolve("bin/linked"), script);

        final Process command = start(link, "packed", Map.of("JAVA_HOME", "/nowhere"), "run");

        assertEquals(0, exitCode(command), err("packed"));
        assertEquals("rank null\n", out("packed"));
        assertEquals("from native code\n", err("packed"));
        final Path extensions = Files.createDirectories(distribution.resolve("lib/ext"));
        Files.writeString(extensions.resolve("b.jar"), "");
        Files.writeString(extensions.resolve("a.jar"), "");
        Files.writeString(extensions.resolve("notes.txt"), "");
        // Java tells of it, as of others that cannot be read.
        Files.createSymbolicLink(extensions.resolve("c.jar"), Path.of("nowhere"));
        assertEquals(0, exitCode(start(link, "extended", Map.of(), "run", "classpath")));
        assertEquals("rank null\n" + Stream.of("lib/cli.jar", "lib/ext/a.jar", "lib/ext/b.jar", "lib/ext/c.jar")
            .map((jar) -> distribution.resolve(jar).toString()).collect(Collectors.joining(":")) + "\n",
            out("extended"));
        assertEquals("built\n", Files.readString(tree.resolve("builds")));
    }

    @Test
    void shouldKeepTheExitCodeOfARank() throws Exception
    {
        final Process rank = start("exits", Map.of("SLURM_PROCID", "0"), "run", "3");

        assertEquals(3, exitCode(rank), err("exits"));
    }

    @Test
    void shouldSayWhatAJavaThatDoesNotRunSays() throws Exception
    {
        final Process rank = start("refused", Map.of("JAVA_TOOL_OPTIONS", "-XX:+NoSuchOption"), "run");

        assertEquals(3, exitCode(rank), err("refused"));
        assertTrue(err("refused").contains("java does not run: Unrecognized VM option 'NoSuchOption'"), err("refused"));
    }

    /** A JVM refuses two collectors. */
    @Test
    void shouldLeaveTheCollectorToTheEnvironment() throws Exception
    {
        final Process command = start("parallel", Map.of("JAVA_TOOL_OPTIONS", "-XX:+UseParallelGC"), "run");

        assertEquals(0, exitCode(command), err("parallel"));
        assertEquals("rank null\n", out("parallel"));
    }

    @Test
    void shouldSayWhichRankASignalEnded() throws Exception
    {
        final Process rank = start("killed", Map.of("SLURM_PROCID", "2"), "run", "-KILL");

        assertEquals(4, exitCode(rank), err("killed"));
        final List<String> said = err("killed").lines().filter((line) -> line.contains("transload: rank")).toList();
        assertEquals(1, said.size(), err("killed"));
        assertTrue(said.get(0).matches("transload: rank 2 \\(pid \\d+\\) was ended by SIGKILL"), said.get(0));
        assertTrue(err("killed").lines().noneMatch((line) -> line.contains("line ")), err("killed"));
    }

    @Test
    void shouldPassOnASignalToItsRank() throws Exception
    {
        // The first signal is one that a JVM ignores, so that this one runs until it is told to end.
        final Process rank = start("told", Map.of("SLURM_PROCID", "2"), "run", "-CONT");
        Waiting.until("the rank runs", () -> rank.descendants().anyMatch(LauncherScriptTest::isRank) &&
            !out("told").isEmpty());
        final ProcessHandle child =
            rank.descendants().filter(LauncherScriptTest::isRank).findFirst().orElseThrow();
        rank.destroy();

        assertEquals(128 + 15, exitCode(rank), err("told"));
        Waiting.until("the rank ends", () -> !child.isAlive());
        assertTrue(err("told").lines().noneMatch((line) -> line.contains("was ended by")), err("told"));
    }

    private void assertRank(final String expected, final Map<String, String> place, final String command)
        throws Exception
    {
        final Process process = start("rank", place, command);
        assertEquals(0, exitCode(process), err("rank"));
        assertEquals("rank " + expected + "\n", out("rank"));
        assertTrue(err("rank").contains("from native code"), err("rank"));
    }

    private Process start(final String name, final Map<String, String> place, final String... args) throws IOException
    {
        return start(tree.resolve("transload"), name, place, args);
    }

    private Process start(
        final Path script, final String name, final Map<String, String> place, final String... args) throws IOException
    {
        final List<String> command = new ArrayList<>(List.of("bash", script.toString()));
        Collections.addAll(command, args);
        final ProcessBuilder builder = new ProcessBuilder(command)
            .redirectOutput(tree.resolve(name + ".out").toFile())
            .redirectError(tree.resolve(name + ".err").toFile());
        final Map<String, String> environment = new HashMap<>(place);
        environment.putIfAbsent("JAVA_HOME", System.getProperty("java.home"));
        environment.put("PATH", tree.resolve("bin") + ":" + System.getenv("PATH"));
        builder.environment().keySet().removeIf(Program::tellsAPlace);
        builder.environment().putAll(environment);
        return builder.start();
    }

    private static int exitCode(final Process process) throws InterruptedException
    {
        try
        {
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it must end by itself");
        }
        finally
        {
            process.destroyForcibly();
        }

        return process.waitFor();
    }

    private static boolean isRank(final ProcessHandle process)
    {
        return process.info().arguments().map(Arrays::asList).orElse(List.of()).contains("-Dtransload.rank=2");
    }

    private String out(final String name)
    {
        return read(name + ".out");
    }

    private String err(final String name)
    {
        return read(name + ".err");
    }

    private String read(final String name)
    {
        try
        {
            return Files.readString(tree.resolve(name));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
