/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.archetype;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A project is made from the archetype in an empty folder, and built, by Maven without a network. */
@Timeout(300)
class ArchetypeIT
{
    private static final Pattern RESULT =
        Pattern.compile("Tests run: (\\d+), Failures: (\\d+), Errors: (\\d+), Skipped: (\\d+)");

    @Test
    void shouldMakeAProjectThatPasses() throws IOException, InterruptedException
    {
        final Path folder = Path.of("target", "newcomer").toAbsolutePath();
        final BuiltArtifacts artifacts = BuiltArtifacts.in(folder);
        final String version = BuiltArtifacts.version();
        artifacts.maven(folder, "-o", "org.apache.maven.plugins:maven-archetype-plugin:" +
            System.getProperty("archetype.plugin") + ":generate", "-DinteractiveMode=false", "-DarchetypeCatalog=local",
            "-DarchetypeGroupId=dev.transload", "-DarchetypeArtifactId=" + BuiltArtifacts.ARCHETYPE,
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

        assertEquals("target/", Files.readString(project.resolve(".gitignore")).strip());

        // All rules between processes are tested by the sample, which has the same classes.
        final boolean isWhole = Boolean.getBoolean("test.processes");
        artifacts.maven(project, "-o", "verify", "-Dit.test=CarrierProcessesIT" + (isWhole ? "" : "#fail*+ord*"));
        final Path reports = project.resolve("target");
        assertTrue(passed(reports.resolve("surefire-reports/org.example.carrier.CarrierConformanceTest.txt")) > 50);
        assertTrue(passed(reports.resolve("failsafe-reports/org.example.carrier.CarrierProcessesIT.txt")) >
            (isWhole ? 50 : 5));
        assertEquals(1, passed(reports.resolve("surefire-reports/org.example.carrier.CarrierEngineTest.txt")));
        assertEquals(2, passed(reports.resolve("surefire-reports/org.example.carrier.CarrierOwnRankTest.txt")));
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
