/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The program as a person starts it: a JVM of its own, this JVM's flags, the jars and their archive of classes. */
final class Program
{
    private static final long DEADLINE_SECONDS = 300;

    /** [seconds] [host:process:thread]  file:line  UCX  level message: which, if any, depends on how a peer died. */
    private static final Pattern UCX_LOG = Pattern.compile("^\\[\\d+\\.\\d+] \\[.*] +\\S+:\\d+ +UCX +[A-Z]+ ");

    private final Process process;
    private final Path folder;

    /** How it ended, and all it said. */
    record End(int exitCode, String out, String err)
    {
        JsonNode json() throws IOException
        {
            return new ObjectMapper().readTree(out);
        }

        /** What it said on standard error, without what JVMs and UCX log by themselves. */
        List<String> sentences()
        {
            return err.lines().filter((line) -> !line.startsWith("WARNING: ") && !line.startsWith("INFO ") &&
                !line.startsWith("Picked up JAVA_TOOL_OPTIONS") && !UCX_LOG.matcher(line).find()).toList();
        }
    }

    private Program(final Process process, final Path folder)
    {
        this.process = process;
        this.folder = folder;
    }

    static Program start(final Path folder, final String... args) throws IOException
    {
        return start(folder, List.of(), Map.of(), args);
    }

    /** The same with JVMs that compile little, as so short a run is over before that pays. */
    static Program startShort(final Path folder, final String... args) throws IOException
    {
        return start(folder, List.of(), UcxHost.SHORT_RUN, args);
    }

    /** The folder is the working directory and the only temporary one, so that what is left can be told. */
    static Program start(
        final Path folder, final List<String> prefix, final Map<String, String> environment, final String... args)
        throws IOException
    {
        final Path temporary = Files.createDirectories(folder.resolve("tmp"));
        final List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (final String flag : ManagementFactory.getRuntimeMXBean().getInputArguments())
        {
            if (flag.startsWith("--"))
            {
                command.add(flag);
            }
        }

        archive().ifPresent((archive) -> command.add("-XX:SharedArchiveFile=" + archive));
        command.add("-Djava.io.tmpdir=" + temporary);
        command.add("-cp");
        command.add(classPath());
        command.add(Main.class.getName());
        command.addAll(Arrays.asList(args));
        final ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile())
            .redirectOutput(folder.resolve("out").toFile()).redirectError(folder.resolve("err").toFile());
        builder.environment().keySet().removeIf((name) -> tellsAPlace(name) || name.startsWith("UCX_"));
        builder.environment().putAll(environment);
        return new Program(builder.start(), folder);
    }

    /** The launcher script of this project with this JVM, below another program where a prefix names one. */
    static Program script(
        final Path folder, final List<String> prefix, final Map<String, String> environment, final String... args)
        throws IOException
    {
        final List<String> command = new ArrayList<>(prefix);
        command.add(scriptFile().toString());
        command.addAll(Arrays.asList(args));
        final ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile())
            .redirectOutput(folder.resolve("out").toFile()).redirectError(folder.resolve("err").toFile());
        builder.environment().keySet().removeIf((name) -> tellsAPlace(name) || name.startsWith("UCX_"));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(environment);
        return new Program(builder.start(), folder);
    }

    /** Tests run in the folder of their module. */
    static Path scriptFile()
    {
        return Path.of("..", "transload").toAbsolutePath().normalize();
    }

    /** Variables by which a launcher of these tests themselves would tell a rank's place. */
    static boolean tellsAPlace(final String variable)
    {
        return variable.matches("(TRANSLOAD|OMPI|PMIX|SLURM|TORCHELASTIC|MASTER|LOCAL|PET|LWS|GROVE|JOBSET)_.*") ||
            List.of("RANK", "WORLD_SIZE", "JOB_COMPLETION_INDEX").contains(variable);
    }

    Process process()
    {
        return process;
    }

    End end() throws IOException, InterruptedException
    {
        return end(DEADLINE_SECONDS);
    }

    /** The same, for what takes its time on a busy machine. */
    End end(final long deadlineSeconds) throws IOException, InterruptedException
    {
        try
        {
            assertTrue(process.waitFor(deadlineSeconds, TimeUnit.SECONDS), "it must end by itself");
        }
        finally
        {
            process.destroyForcibly();
        }

        return new End(process.waitFor(), Files.readString(folder.resolve("out")),
            Files.readString(folder.resolve("err")));
    }

    /** Processes of ranks that it has started and that are still alive, by their command line. */
    List<ProcessHandle> ranks()
    {
        return process.descendants().filter((child) -> RankProcesses.arguments(child).stream()
            .anyMatch((argument) -> argument.startsWith("-Dtransload.rank="))).toList();
    }

    /** Files of a run that are left in the temporary directory or, by this process, in shared memory. */
    List<Path> left() throws IOException
    {
        final List<Path> left = new ArrayList<>();
        for (final Path parent : List.of(folder.resolve("tmp"), Path.of("/dev/shm")))
        {
            if (Files.isDirectory(parent))
            {
                try (Stream<Path> files = Files.list(parent))
                {
                    files.filter((file) -> file.getFileName().toString()
                        .startsWith("transload-run-" + process.pid() + "-")).forEach(left::add);
                }
            }
        }

        return left;
    }

    /** As in the launcher script; an archive is good for one class path only. */
    private static String classPath() throws IOException
    {
        final Path libraries = scriptFile().resolveSibling("cli/target/lib");
        try (Stream<Path> jars = Files.list(libraries))
        {
            return String.join(File.pathSeparator, jars.filter((jar) -> jar.toString().endsWith(".jar"))
                .map((jar) -> libraries.resolve(jar).toString()).sorted().toList());
        }
    }

    /** The latest that the launcher script has made for this Java; where it does not fit, the JVM goes without. */
    private static Optional<Path> archive() throws IOException
    {
        final Path folder = scriptFile().resolveSibling(".transload");
        if (!Files.isDirectory(folder))
        {
            return Optional.empty();
        }

        final String prefix = "classes-" + Runtime.version().feature() + "-";
        try (Stream<Path> files = Files.list(folder))
        {
            return files.filter((file) -> file.getFileName().toString().startsWith(prefix) &&
                file.toString().endsWith(".jsa")).max(Comparator.comparingLong((file) -> file.toFile().lastModified()));
        }
    }
}
