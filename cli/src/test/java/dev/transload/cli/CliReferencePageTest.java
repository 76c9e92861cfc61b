/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.cli.program.OptionGroups;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** docs/reference/cli.md has all commands and options, from the descriptions that the program prints as help. */
class CliReferencePageTest
{
    /** At the end of a description. */
    private static final Pattern DEFAULT = Pattern.compile(" \\(default ([^()]+)\\)$");

    /** Options, keys and files within a description. */
    private static final Pattern CODE = Pattern.compile(
        "(?<![\\w-])(--[a-z][a-z-]*|-D[a-z.=0-9]+|transload\\.[a-z.-]+[a-z]|[a-z0-9-]+\\.(json|safetensors|conf))");

    private final CommandSpec program = Main.program().getCommandSpec();

    /** Commands with options of their own, by name; others are those of the library. */
    private final Map<String, CommandSpec> commands = program.subcommands().entrySet().stream()
        .filter((command) -> null != command.getValue().getCommandSpec().findOption("--json"))
        .collect(Collectors.toMap(Map.Entry::getKey, (command) -> command.getValue().getCommandSpec(),
        (a, b) -> a, LinkedHashMap::new));

    @Test
    void shouldBeWhatTheProgramHas() throws IOException
    {
        final ReferencePage page = new ReferencePage("cli.md", "Options of the command line");
        page.paragraph("`transload COMMAND --help` and the manual pages have the same text as this page. The " +
            "[guide](../CLI.md) explains conventions, exit codes and files, and has examples. [JSON](json.md) lists " +
            "the keys that `--json` prints.");
        page.table(List.of("command", "purpose"), program.subcommands().entrySet().stream().map((command) ->
            List.of(commands.containsKey(command.getKey()) ?
                link("`" + command.getKey() + "`", "transload " + command.getKey()) : "`" + command.getKey() + "`",
                ManPages.purpose(command.getValue().getCommandSpec()))).toList());
        final Map<String, List<OptionSpec>> shared = new LinkedHashMap<>();
        commands.forEach((name, command) -> command(page, name, command, shared));
        shared.forEach((heading, options) ->
        {
            page.heading(2, heading);
            final List<String> names = commandsWith(heading);
            page.paragraph(names.size() == commands.size() ? "All commands on this page have these options." :
                "For " + names.stream().map((name) -> "`" + name + "`").collect(Collectors.joining(", ")) + ".");
            options(page, options);
        });
        page.check();
    }

    /** What is told as a default is what the program has. */
    @Test
    void shouldDescribeEachOptionWithItsDefault()
    {
        commands.forEach((name, command) -> command.options().forEach((option) ->
        {
            final String description = description(option);
            final Object value = null != option.defaultValue() ? option.defaultValue() : option.initialValue();
            assertFalse(meaning(option).isBlank(), option::longestName);
            assertFalse(meaning(option).contains("(default"), description);
            if (null != value && option.arity().max() > 0 && !(value instanceof Collection || value instanceof Map))
            {
                assertEquals(String.valueOf(value), defaultOf(option), name + " " + option.longestName());
            }
        }));
    }

    private void command(
        final ReferencePage page, final String name, final CommandSpec command,
        final Map<String, List<OptionSpec>> shared)
    {
        page.heading(2, "transload " + name);
        page.paragraph("`transload " + name + " [OPTIONS]" + command.positionalParameters().stream()
            .map((argument) -> " " + argument.paramLabel()).collect(Collectors.joining()) + "`");
        for (final String paragraph : command.usageMessage().description())
        {
            page.paragraph(coded(paragraph));
        }

        final List<String> more = new ArrayList<>();
        OptionGroups.of(command).forEach((heading, options) ->
        {
            if (OptionGroups.OWN.equals(heading))
            {
                options(page, options);
            }
            else if (1 == commandsWith(heading).size())
            {
                page.heading(3, heading);
                options(page, options);
            }
            else
            {
                final List<OptionSpec> before = shared.putIfAbsent(heading, options);
                assertTrue(null == before || rows(before).equals(rows(options)), heading);
                more.add(link(heading, heading));
            }
        });
        page.paragraph("More: " + String.join(", ", more) + ".");
    }

    private List<String> commandsWith(final String heading)
    {
        return commands.entrySet().stream()
            .filter((command) -> OptionGroups.of(command.getValue()).containsKey(heading))
            .map(Map.Entry::getKey).toList();
    }

    private static void options(final ReferencePage page, final List<OptionSpec> options)
    {
        page.table(List.of("option", "default", "meaning"), rows(options));
    }

    private static List<List<String>> rows(final List<OptionSpec> options)
    {
        return options.stream().map((option) ->
            List.of(signature(option), coded(defaultOf(option)), coded(meaning(option)))).toList();
    }

    private static String signature(final OptionSpec option)
    {
        final List<String> names = new ArrayList<>(List.of(option.names()));
        final String last = names.remove(names.size() - 1);
        names.add(0 == option.arity().max() ? last : last + (last.startsWith("--") ? " " : "") + option.paramLabel());
        return names.stream().map((name) -> "`" + name + "`").collect(Collectors.joining(", "));
    }

    private static String defaultOf(final OptionSpec option)
    {
        final Matcher told = DEFAULT.matcher(description(option));
        return told.find() ? told.group(1) : "";
    }

    private static String meaning(final ArgSpec option)
    {
        return DEFAULT.matcher(description(option)).replaceFirst("");
    }

    private static String description(final ArgSpec option)
    {
        return String.join(" ", option.description());
    }

    private static String link(final String text, final String heading)
    {
        return "[" + text + "](" + ReferencePage.anchor(heading) + ")";
    }

    private static String coded(final String text)
    {
        return CODE.matcher(text).replaceAll("`$1`");
    }
}
