/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.program.StandardStreams;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class DoctorCommandTest
{
    @Test
    void shouldCountTheRanksOfThisHostBelowALauncher()
    {
        final String said = saidByRank(4);

        assertTrue(said.contains(" for 4 ranks of this host"), said);
        assertTrue(said.contains("scale-out "), "a world of two nodes has hops between them: " + said);
    }

    @Test
    void shouldTellOfEachHostOnce()
    {
        assertEquals("", saidByRank(5));
    }

    @Test
    void shouldExamineAllLibrariesOfTheJars() throws IOException
    {
        final Set<String> examined = new TreeSet<>(Natives.WITHOUT.keySet());
        examined.add("transload-kernels");
        final Set<String> built = new TreeSet<>();
        try (Stream<Path> modules = Files.list(Path.of("..")))
        {
            for (final Path pom : modules.map((module) -> module.resolve("pom.xml")).filter(Files::exists).toList())
            {
                Pattern.compile("\"shim\\.name\" value=\"([^\"]+)\"").matcher(Files.readString(pom)).results()
                    .map((found) -> found.group(1)).forEach(built::add);
            }
        }

        // It loads a JVM, and no JVM loads it.
        assertTrue(built.remove("transload"));
        assertEquals(built, examined);
    }

    /** One of eight ranks on two hosts. */
    private static String saidByRank(final int rank)
    {
        final ByteArrayOutputStream said = new ByteArrayOutputStream();
        StandardStreams.redirect(said);
        try
        {
            assertEquals(ExitCodes.DONE, new CommandLine(new DoctorCommand(Map.of(
                "OMPI_COMM_WORLD_RANK", String.valueOf(rank), "OMPI_COMM_WORLD_SIZE", "8",
                "OMPI_COMM_WORLD_LOCAL_RANK", String.valueOf(rank % 4), "OMPI_COMM_WORLD_LOCAL_SIZE", "4"))).execute());
        }
        finally
        {
            StandardStreams.redirect(new FileOutputStream(FileDescriptor.out));
        }

        return said.toString(StandardCharsets.UTF_8);
    }
}
