/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.gate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages: links lead somewhere, sentences are short, and words that we gave up do not return. */
class DocumentsTest
{
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path RETIRED_WORDS = ROOT.resolve("config").resolve("retired-words.txt");
    private static final Path PERFORMANCE = ROOT.resolve("benchmarks").resolve("performance.template.md");
    private static final List<String> OTHER_PAGES = List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md",
        "THIRD-PARTY.md", "python/README.md", "examples/pytorch/README.md", "data/traces/README.md");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");
    private static final int MAX_WORDS = 35;
    private static final int MAX_TOTAL = 35_000;
    /** Each is read once. */
    private static final Map<Path, MarkdownPage> PAGES = new HashMap<>();

    @TempDir
    private Path folder;

    @Test
    void shouldHaveLinksAndAnchorsThatLeadSomewhere() throws IOException
    {
        final List<Path> pages = new ArrayList<>(docs());
        OTHER_PAGES.forEach((page) -> pages.add(ROOT.resolve(page)));
        assertEquals(List.of(), brokenLinks(ROOT, pages));
    }

    @Test
    void shouldHaveNoLongSentences() throws IOException
    {
        final List<String> found = new ArrayList<>();
        for (final Path path : writtenDocs())
        {
            longSentences(page(path)).forEach((sentence) -> found.add(ROOT.relativize(path) + ": " + sentence));
        }

        assertEquals(List.of(), found, "sentences of more than " + MAX_WORDS + " words");
    }

    /** As {@code wc -w} counts them, without pages that are generated; of performance.md counts what is written. */
    @Test
    void shouldStayShort() throws IOException
    {
        int words = 0;
        for (final Path path : writtenDocs())
        {
            final Path written = path.endsWith("performance.md") ? PERFORMANCE : path;
            words += path.getParent().endsWith("reference") ? 0 : words(written);
        }

        assertTrue(words <= MAX_TOTAL, words + " words are written in docs, " + MAX_TOTAL + " are allowed");
    }

    private static int words(final Path path) throws IOException
    {
        return Files.readString(path).strip().split("\\s+").length;
    }

    @Test
    void shouldUseNoRetiredWords() throws IOException
    {
        final Map<Pattern, String> retired = retiredWords(RETIRED_WORDS);
        final List<String> found = new ArrayList<>();
        for (final Path path : writtenDocs())
        {
            retiredWords(page(path), retired).forEach((word) -> found.add(ROOT.relativize(path) + ": " + word));
        }

        assertEquals(List.of(), found, "words that are retired");
    }

    @Test
    void shouldNameBrokenLinks() throws IOException
    {
        final Path page = write("docs/page.md", """
            # A page: `code` and a [link](other.md#second-1)

            See [itself](#a-page-code-and-a-link), [a folder](../docs), [a site](https://example.org/#none),
            [![a picture](none.svg)](other.md) and [nothing](gone.md). `[code](none.md)`
            <img src="none.png" alt="a picture">

            ```
            [a block](none.md)
            ```
            <!-- [a comment](none.md) -->
            - [no such heading](other.md#third)
              and [none here](#a-page), [outside](../../none.md)
            """);
        final Path other = write("docs/other.md", "## Second\n\n### Second\n");
        assertEquals(List.of("docs/page.md:3: none.png", "docs/page.md:3: none.svg", "docs/page.md:3: gone.md",
            "docs/page.md:11: other.md#third", "docs/page.md:11: #a-page", "docs/page.md:11: ../../none.md"),
            brokenLinks(folder, List.of(page, other)));
    }

    @Test
    void shouldCountTheWordsOfSentences() throws IOException
    {
        final String word = "a ";
        final MarkdownPage page = page(write("page.md",
            "# Title\n\nShort, e.g. `some code of many words` by X. A " + word.repeat(33) + "[b\nc](d.md). " +
            "End - of it\n\n" +
            "- " + word.repeat(35) + "\n- " + word.repeat(36) + "\n\n" +
            "| " + word.repeat(20) + "| " + word.repeat(37) + "|\n\n```\n" + word.repeat(40) + "\n```\n"));
        assertEquals(List.of(1, 5, 36, 3, 35, 36, 20, 37),
            page.sentences().stream().map(MarkdownPage.Sentence::words).toList());
        assertEquals(List.of("line 3: A " + word.repeat(33) + "b c.", "line 7: " + (word.repeat(36)).strip(),
            "line 9: " + word.repeat(37).strip()), longSentences(page));
    }

    @Test
    void shouldFindRetiredWords() throws IOException
    {
        final Map<Pattern, String> retired =
            retiredWords(write("list", "# words\npatience | timeout\ngoes? by turns | alternate\n"));
        final MarkdownPage page = page(write("page.md",
            "Its Patience\nends. `patience` and impatience; it goes\nby turns.\n"));
        assertEquals(List.of("line 1: Patience (say: timeout)", "line 1: goes by turns (say: alternate)"),
            retiredWords(page, retired));
    }

    private Path write(final String name, final String text) throws IOException
    {
        final Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    /** Without the records of decisions, which stay as they were written. */
    private static List<Path> writtenDocs() throws IOException
    {
        return docs().stream().filter((path) -> !path.getParent().endsWith("decisions")).toList();
    }

    private static List<Path> docs() throws IOException
    {
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs")))
        {
            return files.filter((file) -> file.toString().endsWith(".md")).sorted().toList();
        }
    }

    private static List<String> brokenLinks(final Path root, final List<Path> paths) throws IOException
    {
        final List<String> broken = new ArrayList<>();
        for (final Path path : paths)
        {
            for (final MarkdownPage.Link link : page(path).links())
            {
                if (!ELSEWHERE.matcher(link.target()).matches() && !leadsSomewhere(root, path, link.target()))
                {
                    broken.add(root.relativize(path) + ":" + link.line() + ": " + link.target());
                }
            }
        }

        return broken;
    }

    private static boolean leadsSomewhere(final Path root, final Path from, final String target) throws IOException
    {
        final int hash = target.indexOf('#');
        final String name = URLDecoder.decode(hash < 0 ? target : target.substring(0, hash), StandardCharsets.UTF_8);
        final Path to = name.isEmpty() ? from : from.resolveSibling(name).normalize();
        return to.startsWith(root) && Files.exists(to) &&
            (hash < 0 || Files.isRegularFile(to) && page(to).anchors().contains(
                URLDecoder.decode(target.substring(hash + 1), StandardCharsets.UTF_8)));
    }

    private static MarkdownPage page(final Path path) throws IOException
    {
        MarkdownPage page = PAGES.get(path);
        if (null == page)
        {
            page = MarkdownPage.read(path);
            PAGES.put(path, page);
        }

        return page;
    }

    private static List<String> longSentences(final MarkdownPage page)
    {
        return page.sentences().stream().filter((sentence) -> sentence.words() > MAX_WORDS)
            .map((sentence) -> "line " + sentence.line() + ": " + sentence.text()).toList();
    }

    /** A space stands for any white space. */
    static Map<Pattern, String> retiredWords(final Path list) throws IOException
    {
        final Map<Pattern, String> words = new HashMap<>();
        for (final String line : linesOf(list))
        {
            final String[] fields = line.split(" \\| ");
            assertEquals(2, fields.length, () -> list + ": " + line);
            words.put(Pattern.compile(
                "\\b(?:" + fields[0].replace(" ", "\\s+") + ")\\b", Pattern.CASE_INSENSITIVE), fields[1]);
        }

        return words;
    }

    private static List<String> retiredWords(final MarkdownPage page, final Map<Pattern, String> retired)
    {
        final List<String> found = new ArrayList<>();
        for (final MarkdownPage.Sentence sentence : page.sentences())
        {
            retired.forEach((word, instead) -> word.matcher(sentence.text()).results().forEach((match) ->
                found.add("line " + sentence.line() + ": " + match.group() + " (say: " + instead + ")")));
        }

        return found;
    }

    private static List<String> linesOf(final Path list) throws IOException
    {
        return Files.readAllLines(list).stream().filter((line) -> !line.isBlank() && !line.startsWith("#")).toList();
    }
}
