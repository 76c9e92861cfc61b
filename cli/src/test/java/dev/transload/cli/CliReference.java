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
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What the command line promises: schemas of its output, and the tables of docs/CLI.md by the heading above them. */
public final class CliReference
{
    private static final Path FILE = Path.of("..", "docs", "CLI.md");

    private CliReference()
    {
    }

    /**
     * Fails unless results have the form of the schema, keys that it has and no others, and together all of them.
     *
     * @param command of the schema, or the form of its output, by the title.
     * @param absent  keys that these results need not have.
     * @param results as the command prints them.
     */
    public static void assertKeys(final String command, final Set<String> absent, final JsonNode... results)
    {
        final OutputSchema schema = OutputSchema.titled("transload " + command);
        final Set<String> documented = schema.keys(true).stream().filter(OutputSchema.Key::isLeaf)
            .map(OutputSchema.Key::path).collect(Collectors.toCollection(TreeSet::new));
        final Set<String> found = new TreeSet<>(absent);
        for (final JsonNode result : results)
        {
            schema.assertValid(result);
            found.addAll(schema.found(result));
        }

        assertEquals(String.join("\n", documented), String.join("\n", found));
    }

    /**
     * Fails unless a document has the form of a schema, and no other keys.
     *
     * @param title    of the schema, or of one of its forms.
     * @param document as a command prints or writes it.
     */
    public static void assertValid(final String title, final JsonNode document)
    {
        final OutputSchema schema = OutputSchema.titled(title);
        schema.assertValid(document);
        assertEquals(List.of(), schema.found(document).stream().filter((key) -> key.startsWith("?")).toList());
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
}
