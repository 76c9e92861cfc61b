/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.transload.gate.Advisory;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The class path of the command line, which has all that is published and libraries of its own besides. */
class AdvisoriesTest
{
    private static final List<Path> JARS = Arrays.stream(
        System.getProperty("java.class.path").split(File.pathSeparator)).map(Path::of).toList();

    @Test
    void shouldHaveNoVersionWithAKnownVulnerability() throws IOException
    {
        for (final Advisory advisory : Advisory.readAll(Path.of("..", "config", "advisories.txt")))
        {
            final List<Path> found = advisory.of(JARS);
            assertFalse(found.isEmpty(), advisory + " is about no library of the class path: take the line out");
            assertEquals(List.of(), found.stream().filter(advisory::affects).toList(), advisory::toString);
        }
    }
}
