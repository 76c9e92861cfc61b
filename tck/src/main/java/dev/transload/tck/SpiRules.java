/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The rules of the SPI as {@code rules.txt} of the kit states them. Each call reads the file. */
final class SpiRules
{
    /**
     * A group of rules.
     *
     * @param title        e.g. {@code ORD: order}.
     * @param introduction what the rules are about.
     * @param rules        in order of their numbers.
     */
    record Group(String title, String introduction, List<Entry> rules)
    {
    }

    /**
     * A rule.
     *
     * @param id       e.g. {@code ORD-2}.
     * @param text     what has to be done.
     * @param intent   what the rule is for.
     * @param untested why the kit has no test, from "because" on; null if it has one.
     */
    record Entry(String id, String text, String intent, String untested)
    {
    }

    private SpiRules()
    {
    }

    /** Rule of an id; null if it is not one of the SPI. */
    static Entry of(final String id)
    {
        return groups().stream().flatMap((group) -> group.rules().stream())
            .filter((rule) -> rule.id().equals(id)).findAny().orElse(null);
    }

    /** All rules, in the order of the file. */
    static List<Group> groups()
    {
        final List<Group> groups = new ArrayList<>();
        for (final String paragraph : read().replaceAll("(?m)^#.*\n", "").strip().split("\n{2,}"))
        {
            final Map<String, String> fields = fields(paragraph);
            if (fields.containsKey("group"))
            {
                groups.add(new Group(fields.get("group"), fields.get("introduction"), new ArrayList<>()));
            }
            else
            {
                groups.get(groups.size() - 1).rules().add(new Entry(
                    fields.get("rule"), fields.get("text"), fields.get("intent"), fields.get("untested")));
            }
        }

        return groups;
    }

    private static Map<String, String> fields(final String paragraph)
    {
        final Map<String, String> fields = new HashMap<>();
        for (final String line : paragraph.replaceAll("\n +", " ").split("\n"))
        {
            final String[] field = line.split(": ", 2);
            fields.put(field[0], field[1]);
        }

        return fields;
    }

    private static String read()
    {
        try (InputStream in = SpiRules.class.getResourceAsStream("rules.txt"))
        {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
