/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.gate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which jars and versions a line of the list is about. */
class AdvisoryTest
{
    private static final Advisory ADVISORY = new Advisory("org.lib:lib", "1.10.2", "CVE-0");

    @TempDir
    private Path folder;

    @Test
    void shouldTellWhichVersionsAreAffected()
    {
        for (final String affected : List.of("1.9.9", "1.10.1-jre", "0.99", "1.10"))
        {
            assertTrue(ADVISORY.affects(Path.of("/r/org/lib/lib", affected, "lib.jar")), affected);
        }

        for (final String clean : List.of("1.10.2", "1.10.2-jre", "1.11", "2.0.0.Final"))
        {
            assertFalse(ADVISORY.affects(Path.of("/r/org/lib/lib", clean, "lib.jar")), clean);
        }
    }

    @Test
    void shouldBeAboutTheJarsOfItsLibrary()
    {
        final Path jar = Path.of("/r/org/lib/lib/1.0/lib-1.0.jar");
        assertEquals(List.of(jar), ADVISORY.of(
            List.of(Path.of("/r/org/lib/other/1.0/other-1.0.jar"), jar, Path.of("/w/target/classes"), Path.of("/"))));
    }

    @Test
    void shouldReadLinesAndRefuseOthers() throws IOException
    {
        final Path list = folder.resolve("list");
        Files.writeString(list, "# a comment\n\norg.lib:lib  1.10.2 CVE-0\n");
        assertEquals(List.of(ADVISORY), Advisory.readAll(list));
        for (final String wrong : List.of("", "# nothing\n", "org.lib 1.10.2 CVE-0\n", "org.lib:lib 1.10.2\n"))
        {
            Files.writeString(list, wrong);
            assertThrows(IllegalArgumentException.class, () -> Advisory.readAll(list), wrong);
        }
    }
}
