/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.guice;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole programs in EMBEDDING.md compile. */
class EmbeddingPageTest
{
    private static final Path PAGE = Path.of("..", "docs", "EMBEDDING.md");
    private static final Pattern PROGRAM =
        Pattern.compile("```java\\n(import .*?public final class (\\w+).*?)```", Pattern.DOTALL);

    @TempDir
    private Path classes;

    @Test
    void shouldHaveProgramsThatCompile() throws IOException
    {
        final List<PageProgram> programs = new ArrayList<>();
        final List<String> names = new ArrayList<>();
        final Matcher matcher = PROGRAM.matcher(Files.readString(PAGE));
        while (matcher.find())
        {
            programs.add(new PageProgram(matcher.group(2), matcher.group(1)));
            names.add(matcher.group(2));
        }

        assertEquals(List.of("OneRank"), names);
        PageProgram.assertCompiles(programs, classes);
    }
}
