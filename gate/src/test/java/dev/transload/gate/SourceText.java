/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.gate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a file of Java or C says to people: comments, string literals, and the words of its names. Code in Javadoc is
 * left out, since it consists of names. Of other files, all text.
 */
final class SourceText
{
    /** Text, with the line where it begins, from 1. */
    record Passage(int line, String text)
    {
    }

    private static final String LITERAL = "\"[^\"\\\\\n]*(?:\\\\.[^\"\\\\\n]*)*\"";
    private static final String LINE_COMMENT = "//[^\n]*";
    /** Literals that are put together, and lines of comment one after another, are one. */
    private static final Pattern TOKEN = Pattern.compile(
        "(?<block>\"\"\"[\\s\\S]*?\"\"\")" +
        "|(?<literals>" + LITERAL + "(?:\\s*\\+?\\s*" + LITERAL + ")*)" +
        "|'[^'\\\\\n]*(?:\\\\.[^'\\\\\n]*)*'" +
        "|(?<comment>/\\*[\\s\\S]*?\\*/)" +
        "|(?<lines>" + LINE_COMMENT + "(?:\n[ \t]*" + LINE_COMMENT + ")*)");
    private static final Pattern CODE =
        Pattern.compile("\\{@(?!inheritDoc)\\w+[^{}]*}|<(code|pre)>[\\s\\S]*?</\\1>|@(?:param|throws|see)\\s+\\S+");
    private static final Pattern IMPORT = Pattern.compile("(?m)^(?:import|package|#include)\\b.*$");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_]\\w*");
    private static final String WORD_ENDS = "_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])";
    private static final Set<String> LEXED = Set.of("java", "c", "h", "cu", "cpp");

    private SourceText()
    {
    }

    static List<Passage> passages(final Path file) throws IOException
    {
        final String text = Files.readString(file);
        final String name = file.getFileName().toString();
        return LEXED.contains(name.substring(name.lastIndexOf('.') + 1)) ? lexed(text) : List.of(new Passage(1, text));
    }

    private static List<Passage> lexed(final String text)
    {
        final List<Passage> passages = new ArrayList<>();
        final StringBuilder code = new StringBuilder();
        final Matcher token = TOKEN.matcher(text);
        int line = 1;
        int end = 0;
        while (token.find())
        {
            line += linesIn(text.substring(end, token.start()));
            if (null != token.group("literals"))
            {
                passages.add(new Passage(line, token.group().replaceAll("\"(\\s*)\\+?(\\s*)\"", "$1$2")));
            }
            else if (null != token.group("comment"))
            {
                passages.add(new Passage(line, blanked(CODE, token.group().replaceAll("\n[ \t]*\\*", "\n "))));
            }
            else if (null != token.group("lines"))
            {
                passages.add(new Passage(line, token.group().replaceAll("\n[ \t]*//", "\n")));
            }
            else if (null != token.group("block"))
            {
                passages.add(new Passage(line, token.group()));
            }

            code.append(text, end, token.start()).append(token.group().replaceAll("[^\n]", " "));
            line += linesIn(token.group());
            end = token.end();
        }

        addNames(passages, blanked(IMPORT, code.append(text, end, text.length()).toString()));
        return passages;
    }

    /** Each name once, as words with spaces between. */
    private static void addNames(final List<Passage> passages, final String code)
    {
        final Set<String> seen = new LinkedHashSet<>();
        final Matcher name = NAME.matcher(code);
        int line = 1;
        int end = 0;
        while (name.find())
        {
            line += linesIn(code.substring(end, name.start()));
            end = name.start();
            if (seen.add(name.group()))
            {
                passages.add(new Passage(
                    line, String.join(" ", name.group().split(WORD_ENDS)).toLowerCase(Locale.ROOT).strip()));
            }
        }
    }

    /** Lines stay lines. */
    private static String blanked(final Pattern what, final String text)
    {
        return what.matcher(text).replaceAll((match) -> match.group().replaceAll("[^\n]", " "));
    }

    static int linesIn(final String text)
    {
        return (int)text.chars().filter((character) -> '\n' == character).count();
    }
}
