/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.gate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a page of Markdown has: anchors, links, and sentences. Code blocks and comments are left out. */
final class MarkdownPage
{
    /** The target of a link or picture, with the line where it begins, from 1. */
    record Link(int line, String target)
    {
    }

    /** Text from one full stop to the next, without marks, with the line where its paragraph begins, from 1. */
    record Sentence(int line, String text)
    {
        int words()
        {
            return (int)Pattern.compile("\\S*[\\p{L}\\p{N}]\\S*").matcher(text).results().count();
        }
    }

    private static final Pattern FENCE = Pattern.compile(" *(`{3,}|~{3,}).*");
    private static final Pattern COMMENT = Pattern.compile("<!--.*?-->", Pattern.DOTALL);
    private static final Pattern LINK = Pattern.compile("\\[((?:[^\\[\\]]|\\[[^\\[\\]]*])*)]\\(([^()\\s]+)\\)");
    private static final Pattern PICTURE = Pattern.compile("<img [^>]*src=\"([^\"]+)\"");
    private static final Pattern CODE = Pattern.compile("(`+)(.+?)\\1");
    private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*?)(?: +#+)?");
    private static final Pattern ITEM = Pattern.compile(" *(?:[-*+]|\\d+[.)]) +(.*)");
    /** Not the point of a short form, nor one that a small letter follows. */
    private static final Pattern SENTENCE_END =
        Pattern.compile("(?<![eE]\\.g|i\\.e|\\bvs|\\bcf)[.!?][)\"\u201d]*(?= +[^\\p{Ll}]|$)");

    private final Path path;
    private final Set<String> anchors = new LinkedHashSet<>();
    private final List<Link> links = new ArrayList<>();
    private final List<Sentence> sentences = new ArrayList<>();
    private final Map<String, Integer> repeated = new HashMap<>();
    private final StringBuilder paragraph = new StringBuilder();
    private int paragraphLine;

    private MarkdownPage(final Path path)
    {
        this.path = path;
    }

    static MarkdownPage read(final Path path) throws IOException
    {
        final MarkdownPage page = new MarkdownPage(path);
        String fence = null;
        int number = 0;
        for (final String line : withoutComments(Files.readString(path)).split("\n", -1))
        {
            number++;
            final Matcher mark = FENCE.matcher(line);
            if (null != fence)
            {
                fence = line.strip().startsWith(fence) ? null : fence;
            }
            else if (mark.matches())
            {
                fence = mark.group(1);
                page.endParagraph();
            }
            else
            {
                page.take(number, line);
            }
        }

        page.endParagraph();
        return page;
    }

    /** Lines stay lines. */
    private static String withoutComments(final String text)
    {
        return COMMENT.matcher(text).replaceAll((match) -> match.group().replaceAll("[^\n]", ""));
    }

    private void take(final int number, final String line)
    {
        final Matcher heading = HEADING.matcher(line);
        final Matcher item = ITEM.matcher(line);
        if (heading.matches())
        {
            endParagraph();
            anchors.add(unique(slug(plain(heading.group(1)))));
            add(number, heading.group(1));
            endParagraph();
        }
        else if (line.strip().startsWith("|"))
        {
            endParagraph();
            for (final String cell : line.strip().split("(?<!\\\\)\\|"))
            {
                add(number, cell);
                endParagraph();
            }
        }
        else if (line.isBlank() || line.startsWith("    ") && 0 == paragraph.length())
        {
            endParagraph();
        }
        else if (item.matches())
        {
            endParagraph();
            add(number, item.group(1));
        }
        else
        {
            add(number, line.replaceFirst("^> ?", ""));
        }
    }

    private void add(final int number, final String line)
    {
        paragraphLine = 0 == paragraph.length() ? number : paragraphLine;
        paragraph.append(0 == paragraph.length() ? "" : " ").append(line.strip());
    }

    private void endParagraph()
    {
        final String text = paragraph.toString();
        paragraph.setLength(0);
        final String withoutCode = CODE.matcher(text).replaceAll("Code");
        PICTURE.matcher(withoutCode).results().forEach((match) -> links.add(new Link(paragraphLine, match.group(1))));
        final Matcher link = LINK.matcher(withoutCode);
        while (link.find())
        {
            links.add(new Link(paragraphLine, link.group(2)));
            // A picture as the text of a link.
            final Matcher inner = LINK.matcher(link.group(1));
            while (inner.find())
            {
                links.add(new Link(paragraphLine, inner.group(2)));
            }
        }

        final String words = plain(withoutCode).replace("**", "");
        int start = 0;
        final Matcher end = SENTENCE_END.matcher(words);
        while (end.find())
        {
            sentence(words.substring(start, end.end()));
            start = end.end();
        }

        sentence(words.substring(start));
    }

    private void sentence(final String text)
    {
        if (!text.isBlank())
        {
            sentences.add(new Sentence(paragraphLine, text.strip()));
        }
    }

    private static String plain(final String text)
    {
        return LINK.matcher(text).replaceAll("$1");
    }

    /** As the repository's own view makes them, and scripts/site. */
    private static String slug(final String heading)
    {
        return heading.strip().toLowerCase(Locale.ROOT)
            .replaceAll("[^\\p{L}\\p{M}\\p{N}\\p{Pc} -]", "").replace(' ', '-');
    }

    private String unique(final String slug)
    {
        final int before = repeated.merge(slug, 1, Integer::sum) - 1;
        return 0 == before ? slug : slug + "-" + before;
    }

    Path path()
    {
        return path;
    }

    Set<String> anchors()
    {
        return anchors;
    }

    List<Link> links()
    {
        return links;
    }

    List<Sentence> sentences()
    {
        return sentences;
    }
}
