/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.archetype;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The user's local repository, with the artifacts of this build as if they had been installed, and Maven with it.
 *
 * @param repository folder.
 */
record BuiltArtifacts(Path repository)
{
    /** Name of the archetype. */
    static final String ARCHETYPE = "transload-archetype-transport";

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final String GROUP = "dev/transload";
    private static final List<String> MODULES =
        List.of("api", "transport-base", "tck", "row-kernels", "core-dispatch");

    /** Makes the folder anew, with the repository in it. */
    static BuiltArtifacts in(final Path folder) throws IOException
    {
        delete(folder);
        final Path repository = folder.resolve("repository");
        final Path users = Path.of(System.getProperty("maven.repository"));
        final Path own = repository.resolve(GROUP);
        Files.createDirectories(own);
        linkEntries(users, repository);
        linkEntries(users.resolve("dev"), repository.resolve("dev"));
        final String version = version();
        install(own, "transload-parent", version, ROOT);
        install(own, "transload-bom", version, ROOT.resolve("bom"));
        for (final String module : MODULES)
        {
            install(own, "transload-" + module, version, ROOT.resolve(module));
        }

        install(own, ARCHETYPE, version, ROOT.resolve("archetype"));
        return new BuiltArtifacts(repository);
    }

    /** What links lead to stays. */
    private static void delete(final Path folder) throws IOException
    {
        if (!Files.exists(folder))
        {
            return;
        }

        try (Stream<Path> paths = Files.walk(folder))
        {
            for (final Path path : paths.sorted(Comparator.reverseOrder()).toList())
            {
                Files.delete(path);
            }
        }
    }

    private static void linkEntries(final Path from, final Path to) throws IOException
    {
        if (!Files.isDirectory(from))
        {
            return;
        }

        try (Stream<Path> entries = Files.list(from))
        {
            for (final Path entry : entries.toList())
            {
                final Path link = to.resolve(entry.getFileName());
                if (!Files.exists(link))
                {
                    Files.createSymbolicLink(link, entry);
                }
            }
        }
    }

    private static void install(
        final Path group, final String artifact, final String version, final Path module) throws IOException
    {
        final String name = artifact + "-" + version;
        final Path folder = Files.createDirectories(group.resolve(artifact).resolve(version));
        final String pom = Files.readString(module.resolve("pom.xml"));
        Files.writeString(folder.resolve(name + ".pom"), pom);
        if (!pom.contains("<packaging>pom</packaging>"))
        {
            final Path jar = module.resolve("target").resolve(name + ".jar");
            assertTrue(Files.isRegularFile(jar), jar + " is missing: this test runs behind the phase package");
            Files.createSymbolicLink(folder.resolve(name + ".jar"), jar);
        }
    }

    /** Of this build. */
    static String version() throws IOException
    {
        final Matcher version = Pattern.compile("<version>([^<]+)</version>")
            .matcher(Files.readString(ROOT.resolve("bom").resolve("pom.xml")));
        assertTrue(version.find());
        return version.group(1);
    }

    /** Runs Maven, which must succeed. */
    void maven(final Path in, final String... arguments) throws IOException, InterruptedException
    {
        final Run run = run(in, arguments);
        assertTrue(run.hasPassed(), () -> String.join(" ", arguments) + " failed:\n" + run.log());
    }

    /** Runs Maven. */
    Run run(final Path in, final String... arguments) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("maven.home"), "bin", "mvn").toString(), "-B",
            "-Dmaven.repo.local=" + repository,
            // Which server an artifact came from does not matter here.
            "-Daether.enhancedLocalRepository.trackingFilename=unknown"));
        command.addAll(List.of(arguments));
        final Path log = Files.createTempFile(in, "maven", ".log");
        final ProcessBuilder builder =
            new ProcessBuilder(command).directory(in.toFile()).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        // As on a machine where one compiles little: half of the time would go to C2.
        builder.environment().put("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
        final Process process = builder.start();
        try
        {
            if (!process.waitFor(240, TimeUnit.SECONDS))
            {
                fail(String.join(" ", command) + " did not end:\n" + Files.readString(log));
            }

            return new Run(0 == process.exitValue(), Files.readString(log));
        }
        finally
        {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /**
     * How Maven ended.
     *
     * @param hasPassed whether it succeeded.
     * @param log       what it said.
     */
    record Run(boolean hasPassed, String log)
    {
    }
}
