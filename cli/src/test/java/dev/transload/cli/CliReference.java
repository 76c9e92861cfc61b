/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.program.StandardStreams;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** What docs/CLI.md promises: the rows of its tables, by the heading above them. */
public final class CliReference
{
    private static final Path FILE = Path.of("..", "docs", "CLI.md");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    /** Objects whose keys are names of roles, settings, libraries or figures, not of the contract. */
    private static final Pattern NAMED = Pattern.compile(
        "(roles|versions|defaults|best|tried\\[]\\.settings|checks\\[]\\.figures)\\.(?!device$)[^\\[]+?" +
        "(?=\\.busy_micros$|\\.waiting_micros$|$)");

    private CliReference()
    {
    }

    /**
     * Fails where a result has a key that is not documented, or where a documented key is missing.
     *
     * @param command its section.
     * @param absent  documented keys that these results need not have.
     * @param results as the command prints them, which together have all keys.
     */
    public static void assertKeys(final String command, final Set<String> absent, final JsonNode... results)
    {
        final Set<String> documented = new TreeSet<>();
        for (final List<String> row : rows("transload " + command, "key"))
        {
            CODE.matcher(row.get(0)).results().map((match) -> match.group(1)).forEach(documented::add);
            assertFalse(row.get(1).isBlank(), row::toString);
        }

        final Set<String> found = new TreeSet<>(absent);
        for (final JsonNode result : results)
        {
            collect("", result, documented, found);
        }

        assertEquals(String.join("\n", documented), String.join("\n", found));
    }

    /** What a command prints in this JVM. */
    public static JsonNode printed(final String... args)
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        StandardStreams.redirect(bytes);
        try
        {
            Main.run(args, false);
            StandardStreams.result().flush();
            return new ObjectMapper().readTree(bytes.toByteArray());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        finally
        {
            StandardStreams.redirect(new FileOutputStream(FileDescriptor.out));
        }
    }

    /** Cells of the tables below a heading, until the next one, whose first column has a title. */
    static List<List<String>> rows(final String heading, final String title)
    {
        final List<List<String>> rows = new ArrayList<>();
        boolean isInSection = false;
        boolean isInTable = false;
        for (final String line : lines())
        {
            if (line.startsWith("#"))
            {
                isInSection = line.replaceFirst("^#+ ", "").equals(heading);
            }

            isInTable = line.startsWith("|") && (isInTable || line.startsWith("| " + title + " |"));
            if (isInSection && isInTable && !line.startsWith("|--") && !line.startsWith("| " + title + " |"))
            {
                rows.add(List.of(line.substring(1).split("\\|")).stream().map(String::strip).toList());
            }
        }

        assertFalse(rows.isEmpty(), heading + " has no table of " + title);
        return rows;
    }

    /** Options by their longest names, with all names and the label. */
    static Map<String, List<String>> options(final List<String> headings)
    {
        final Map<String, List<String>> options = new LinkedHashMap<>();
        for (final String heading : headings)
        {
            for (final List<String> row : rows(heading, "option"))
            {
                final List<String> names = CODE.matcher(row.get(0)).results().map(MatchResult::group)
                    .map((code) -> code.replace("`", "")).toList();
                assertEquals(null, options.put(names.get(names.size() - 1).split(" ")[0], row), row::toString);
            }
        }

        return options;
    }

    private static List<String> lines()
    {
        try
        {
            return Files.readAllLines(FILE);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static void collect(
        final String path, final JsonNode node, final Set<String> documented, final Set<String> found)
    {
        if (node.isObject())
        {
            node.properties().forEach((entry) -> collect(path.isEmpty() ? entry.getKey() : path + "." + entry.getKey(),
                entry.getValue(), documented, found));
            return;
        }

        if (node.isArray() && !node.isEmpty() && !node.get(0).isArray())
        {
            node.forEach((element) -> collect(path + "[]", element, documented, found));
            return;
        }

        final String key = NAMED.matcher(path + (node.isArray() ? "[]" : "")).replaceFirst("$1.NAME");
        // An object that is null, and an array without objects, have no keys to show.
        if (!node.isNull() && !node.isArray() || documented.stream().noneMatch((other) -> other.startsWith(key + ".")))
        {
            found.add(key);
        }
    }
}
