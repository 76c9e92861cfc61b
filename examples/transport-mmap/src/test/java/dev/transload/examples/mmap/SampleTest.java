/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.mmap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** What is said of this sample: how small it is, and what the guide shows of it. */
class SampleTest
{
    private static final int MAX_LINES = 200;
    private static final Path GUIDE = Path.of("..", "..", "docs", "WRITING-A-TRANSPORT.md");
    private static final Path ARCHETYPE =
        Path.of("..", "..", "archetype", "src", "main", "resources", "archetype-resources", "pom.xml");
    private static final Pattern DEPENDENCY = Pattern.compile(
        "<dependency>\\s*<groupId>[^<]+</groupId>\\s*<artifactId>([^<]+)</artifactId>\\s*" +
        "(?:<version>[^<]+</version>\\s*)?(?:<scope>([^<]+)</scope>)?");

    /** A line of the guide's table of dependencies. */
    private static final Pattern NAMED = Pattern.compile("\\| `([\\w-]+)` \\| (compile|test) \\|");
    private static final Pattern SNIPPET =
        Pattern.compile("<!-- from (\\w+\\.java) -->\n```java\n(.*?)\n```", Pattern.DOTALL);

    @Test
    void shouldHaveAtMost200Lines(final TestReporter reporter) throws IOException
    {
        long lines = 0;
        for (final Path source : sources(Path.of("src", "main")))
        {
            lines += Files.readAllLines(source).size();
        }

        reporter.publishEntry("lines of the sample, all counted", String.valueOf(lines));
        assertTrue(lines > 0 && lines <= MAX_LINES, "the sample has " + lines + " lines");
    }

    @Test
    void shouldStandInTheGuideAsItIs() throws IOException
    {
        final Map<String, String> texts = new HashMap<>();
        for (final Path source : sources(Path.of("src")))
        {
            texts.put(source.getFileName().toString(), withoutIndents(Files.readString(source)));
        }

        final String guide = Files.readString(GUIDE);
        final Matcher snippet = SNIPPET.matcher(guide);
        int snippets = 0;
        while (snippet.find())
        {
            final String file = snippet.group(1);
            assertTrue(texts.containsKey(file), "the sample has no " + file);
            assertTrue(texts.get(file).contains(withoutIndents(snippet.group(2))),
                file + " does not contain\n" + snippet.group(2));
            snippets++;
        }

        assertTrue(snippets > 0);
        assertEquals(guide.lines().filter("```java"::equals).count(), snippets,
            "a snippet has no line \"<!-- from FILE -->\" before it");
    }

    @Test
    void shouldNameTheDependenciesOfTheArchetype() throws IOException
    {
        final String pom = Files.readString(ARCHETYPE);
        final Map<String, String> scopes = new TreeMap<>();
        DEPENDENCY.matcher(pom.substring(pom.indexOf("</dependencyManagement>"))).results().forEach((found) ->
            scopes.put(found.group(1), null == found.group(2) ? "compile" : found.group(2)));
        final Map<String, String> named = new TreeMap<>();
        NAMED.matcher(Files.readString(GUIDE)).results().forEach((found) ->
            named.put(found.group(1), found.group(2)));
        assertTrue(scopes.size() > 1, pom);
        assertEquals(scopes, named);
    }

    private static String withoutIndents(final String text)
    {
        return text.lines().map(String::strip).collect(Collectors.joining("\n", "\n", "\n"));
    }

    private static List<Path> sources(final Path folder) throws IOException
    {
        try (Stream<Path> files = Files.walk(folder))
        {
            return files.filter((file) -> file.toString().endsWith(".java")).collect(Collectors.toList());
        }
    }
}
