/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.OutputSchema.Key;
import dev.transload.cli.program.OptionGroups;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** docs/reference/json.md has the keys of the JSON Schemas that the jar of the command line has. */
class JsonReferencePageTest
{
    private static final List<String> FILES = OutputSchema.FILES;
    private static final Map<String, String> UNITS = Map.of(
        "micros", "µs", "GBps", "GB/s", "bytes", "bytes", "million_per_second", "10⁶/s", "seconds", "s", "ns", "ns");

    @Test
    void shouldBeWhatTheSchemasHave() throws IOException
    {
        final ReferencePage page = new ReferencePage("json.md", "JSON of the command line");
        page.paragraph("With `--json`, standard output has one JSON object and nothing else. New versions of the " +
            "program may add keys. They do not remove or rename any, except the keys that are written as `NAME` " +
            "below. Each table below is generated from a JSON Schema (draft 2020-12), such as `run.json`. The " +
            "schemas are in `share/schema` of a distribution, in `dev/transload/cli/schema` of the jar of the " +
            "command line, and in `cli/src/main/resources/dev/transload/cli/schema` of the sources. Any JSON Schema " +
            "validator can check the output with these schemas, for example the Python package `jsonschema`:");
        page.code("console", "$ ./transload run --json > run.out",
            "$ python3 -c 'import json, sys, jsonschema",
            "jsonschema.validate(json.load(sys.stdin), json.load(open(sys.argv[1])))' share/schema/run.json < run.out");
        page.paragraph("In the column *key*, `[]` stands for each element of an array. `NAME` stands for a key that " +
            "is the name of something, such as a setting. An optional key may be missing. In a schema, `x-unit` " +
            "gives the unit of a value. 1 GB/s is 10⁹ bytes per second.");
        for (final String name : FILES)
        {
            final JsonNode file = OutputSchema.read(name);
            final List<OutputSchema> forms = OutputSchema.formsOf(file);
            page.heading(2, file.get("title").asText());
            page.paragraph(file.get("description").asText());
            for (final OutputSchema form : forms)
            {
                if (forms.size() > 1)
                {
                    page.heading(3, form.title());
                    page.paragraph(form.description());
                }

                page.table(List.of("key", "type", "meaning"),
                    form.keys(false).stream().map(JsonReferencePageTest::row).toList());
            }
        }

        page.check();
    }

    @Test
    void shouldHaveASchemaForEachCommand()
    {
        final Set<String> commands =
            new TreeSet<>(OptionGroups.commandsWith(Main.program().getCommandSpec(), "--json"));
        commands.add("recording");
        assertEquals(commands, new TreeSet<>(FILES));
    }

    @ParameterizedTest
    @FieldSource("FILES")
    void shouldDescribeEachKeyWithItsUnit(final String name)
    {
        final JsonNode file = OutputSchema.read(name);
        assertEquals(Set.of(), OutputSchema.metaSchema().validate(file));
        final Set<String> titles = new HashSet<>();
        for (final OutputSchema form : OutputSchema.formsOf(file))
        {
            assertTrue(titles.add(form.title()), form::title);
            for (final Key key : form.keys(true))
            {
                final String last = key.path().replace("[]", "").replaceAll("^.*\\.", "");
                assertFalse(key.description().isBlank(), () -> form.title() + ": " + key);
                UNITS.forEach((end, unit) ->
                {
                    if (key.isLeaf() && last.matches("(.*_)?" + end))
                    {
                        assertEquals(unit, key.unit(), () -> form.title() + ": " + key);
                    }
                });
            }
        }
    }

    private static List<String> row(final Key key)
    {
        final List<String> type = new ArrayList<>(List.of(key.type()));
        if (null != key.unit())
        {
            type.add(key.unit());
        }

        if (key.isOptional())
        {
            type.add("optional");
        }

        final String values = key.values().stream().map((value) -> "`" + value + "`").collect(Collectors.joining(", "));
        return List.of("`" + key.path() + "`", String.join(", ", type), key.description() +
            (values.isEmpty() ? "" : " (" + values + ")") +
            (null == key.sameAs() ? "" : "; keys as in `" + key.sameAs() + "`"));
    }
}
