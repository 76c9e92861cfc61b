/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.gate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Retired words do not return in Javadoc, messages, keys, metrics and names, in native sources, settings, the report
 * page and the Python package. Tests are not looked at.
 */
class SourceWordsTest
{
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path RETIRED_WORDS = ROOT.resolve("config").resolve("retired-words.txt");
    private static final Pattern SOURCE =
        Pattern.compile("(?:.*/)?src/(?:main|emulator)/.*\\.(?:java|c|h|cu|cpp|conf|js|html)|python/src/.*\\.py");
    private static final Pattern LEFT_OUT = Pattern.compile("target|node_modules|\\..+");
    private static final int LEAST_FILES = 1000;

    @TempDir
    private Path folder;

    @Test
    void shouldUseNoRetiredWords() throws IOException
    {
        final Map<Pattern, String> retired = DocumentsTest.retiredWords(RETIRED_WORDS);
        final List<Path> sources = sources();
        assertTrue(sources.size() >= LEAST_FILES, () -> sources.size() + " files");
        final List<String> found = new ArrayList<>();
        for (final Path source : sources)
        {
            found.addAll(retiredWords(ROOT, source, retired));
        }

        assertEquals(List.of(), found, "words that are retired");
    }

    @Test
    void shouldFindRetiredWordsInJava() throws IOException
    {
        final Map<Pattern, String> retired = DocumentsTest.retiredWords(write("list",
            "patience | timeout\ngoes? by turns | alternate\n"));
        final Path source = write("Some.java", """
            package a.patience;

            import b.Patience;

            /**
             * It goes by
             * turns, {@code patience}, {@link Patience}.
             *
             * @param patience of impatience.
             */
            class Some
            {
                // One that goes
                // by turns.
                private final String text = "a \\" patience" + '"' +
                    "it goes " +
                    "by turns"; // Patience.
                private final int impatience = PATIENCE_NS + patienceNs("\\\\") + PATIENCE_NS;
                private final String block = \"""
                    patience of a "block"
                    \""";
            }
            """);
        final String twice = ": goes by turns (say: alternate)";
        assertEquals(List.of("Some.java:6" + twice, "Some.java:13" + twice, "Some.java:15: patience (say: timeout)",
            "Some.java:16" + twice, "Some.java:17: Patience (say: timeout)", "Some.java:20: patience (say: timeout)",
            "Some.java:18: patience (say: timeout)", "Some.java:18: patience (say: timeout)"),
            retiredWords(folder, source, retired));
    }

    @Test
    void shouldFindRetiredWordsInAllTextOfOtherFiles() throws IOException
    {
        final Map<Pattern, String> retired = DocumentsTest.retiredWords(write("list", "patience | timeout\n"));
        assertEquals(List.of("some.conf:2: patience (say: timeout)"),
            retiredWords(folder, write("some.conf", "# a\npatience = 3s\n"), retired));
    }

    private Path write(final String name, final String text) throws IOException
    {
        return Files.writeString(folder.resolve(name), text);
    }

    private static List<String> retiredWords(final Path root, final Path source, final Map<Pattern, String> retired)
        throws IOException
    {
        final List<String> found = new ArrayList<>();
        for (final SourceText.Passage passage : SourceText.passages(source))
        {
            retired.forEach((word, instead) ->
            {
                final Matcher match = word.matcher(passage.text());
                while (match.find())
                {
                    found.add(root.relativize(source) + ":" +
                        (passage.line() + SourceText.linesIn(passage.text().substring(0, match.start()))) + ": " +
                        match.group().replaceAll("\\s+", " ") + " (say: " + instead + ")");
                }
            });
        }

        return found;
    }

    private static List<Path> sources() throws IOException
    {
        final List<Path> sources = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>()
        {
            @Override
            public FileVisitResult preVisitDirectory(final Path path, final BasicFileAttributes attributes)
            {
                return LEFT_OUT.matcher(path.getFileName().toString()).matches() && !path.equals(ROOT) ?
                    FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(final Path path, final BasicFileAttributes attributes)
            {
                if (SOURCE.matcher(ROOT.relativize(path).toString()).matches())
                {
                    sources.add(path);
                }

                return FileVisitResult.CONTINUE;
            }
        });
        sources.sort(null);
        return sources;
    }
}
