/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.archetype;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A project is made from the archetype in an empty folder, and built, by Maven without a network. */
@Timeout(300)
class ArchetypeIT
{
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final String GROUP = "dev/transload";
    private static final List<String> MODULES =
        List.of("api", "transport-base", "tck", "row-kernels", "core-dispatch");
    private static final String ARCHETYPE = "transload-archetype-transport";
    private static final Pattern RESULT =
        Pattern.compile("Tests run: (\\d+), Failures: (\\d+), Errors: (\\d+), Skipped: (\\d+)");

    @Test
    void shouldMakeAProjectThatPasses() throws IOException, InterruptedException
    {
        final Path folder = Path.of("target", "newcomer").toAbsolutePath();
        delete(folder);
        final Path repository = repository(folder.resolve("repository"));
        final String version = version();
        maven(folder, repository, "org.apache.maven.plugins:maven-archetype-plugin:" +
            System.getProperty("archetype.plugin") + ":generate", "-DinteractiveMode=false", "-DarchetypeCatalog=local",
            "-DarchetypeGroupId=dev.transload", "-DarchetypeArtifactId=" + ARCHETYPE,
            "-DarchetypeVersion=" + version, "-DgroupId=org.example", "-DartifactId=transload-carrier",
            "-Dpackage=org.example.carrier", "-Dtransport=carrier", "-Dprefix=Carrier");
        final Path project = folder.resolve("transload-carrier");
        try (Stream<Path> files = Files.walk(project))
        {
            for (final Path file : files.filter(Files::isRegularFile).toList())
            {
                final String text = Files.readString(file);
                assertFalse(text.contains("mmap") || text.contains("Mmap") || text.contains("prefix") ||
                    text.contains("@project") || text.contains("Copyright"), file + ":\n" + text);
            }
        }

        maven(project, repository, "verify");
        final Path reports = project.resolve("target");
        assertTrue(passed(reports.resolve("surefire-reports/org.example.carrier.CarrierConformanceTest.txt")) > 50);
        assertTrue(passed(reports.resolve("failsafe-reports/org.example.carrier.CarrierProcessesIT.txt")) > 50);
        assertEquals(1, passed(reports.resolve("surefire-reports/org.example.carrier.CarrierEngineTest.txt")));
    }

    /** The user's repository, with the artifacts of this build as if they had been installed. */
    private static Path repository(final Path repository) throws IOException
    {
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

        return repository;
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

    private static String version() throws IOException
    {
        final Matcher version = Pattern.compile("<version>([^<]+)</version>")
            .matcher(Files.readString(ROOT.resolve("bom").resolve("pom.xml")));
        assertTrue(version.find());
        return version.group(1);
    }

    private static void maven(final Path in, final Path repository, final String... arguments)
        throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("maven.home"), "bin", "mvn").toString(), "-B", "-o",
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
            final boolean ended = process.waitFor(240, TimeUnit.SECONDS);
            assertTrue(ended && 0 == process.exitValue(),
                () -> String.join(" ", command) + (ended ? " failed" : " did not end") + ":\n" + read(log));
        }
        finally
        {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static String read(final Path log)
    {
        try
        {
            return Files.readString(log);
        }
        catch (final IOException ex)
        {
            return ex.toString();
        }
    }

    private static int passed(final Path report) throws IOException
    {
        final String text = Files.readString(report);
        final Matcher result = RESULT.matcher(text);
        assertTrue(result.find(), text);
        assertEquals("00", result.group(2) + result.group(3), text);
        return Integer.parseInt(result.group(1)) - Integer.parseInt(result.group(4));
    }
}
