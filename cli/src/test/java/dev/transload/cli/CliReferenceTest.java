/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.transload.cli.outcome.ExitCodes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** docs/CLI.md is a contract: what it promises is there, and what is there is documented. */
class CliReferenceTest
{
    private static final String COMMON = "Options of all commands";
    private static final String WORLD = "Options of a world and its input";
    private static final String ROUTING = "Options of a world and its routing";

    /** As descriptions tell it: {@code (default 2)}, {@code (default: as the input says)} or {@code bf16 (default)}. */
    private static final Pattern DEFAULT = Pattern.compile("(\\S+) \\(default\\)|\\(default:? ([^)]*)\\)");

    private final Map<String, CommandLine> commands = Main.program().getSubcommands();

    @Test
    void shouldListAllCommands()
    {
        assertEquals(new TreeSet<>(commands.keySet()), CliReference.rows("The command line", "command").stream()
            .map((row) -> row.get(0).replaceAll("^.*?`|`.*$", "")).collect(Collectors.toCollection(TreeSet::new)));
    }

    @ParameterizedTest
    @ValueSource(strings = { "run", "bench", "conformance", "tune", "plan", "replay", "transports", "doctor" })
    void shouldHaveTheDocumentedOptionsAndNoOthers(final String command)
    {
        final List<String> headings = new ArrayList<>(List.of(COMMON, "transload " + command));
        if (List.of("run", "tune").contains(command))
        {
            headings.add(WORLD);
        }

        if ("bench".equals(command))
        {
            headings.add("transload bench between ranks");
        }

        if (List.of("run", "tune", "plan", "bench").contains(command))
        {
            headings.add(ROUTING);
        }

        final Map<String, String> found = new TreeMap<>();
        for (final OptionSpec option : commands.get(command).getCommandSpec().options())
        {
            final String description = String.join(" ", option.description());
            final Matcher said = DEFAULT.matcher(description);
            found.put(option.longestName(), signature(option) + " = " +
                (!said.find() ? "" : null != said.group(1) ? said.group(1) : said.group(2)));
            assertFalse(description.isBlank(), option::longestName);
        }

        final Map<String, String> documented = new TreeMap<>();
        CliReference.options(headings).forEach((name, row) ->
        {
            documented.put(name, row.get(0) + " = " + row.get(1));
            assertFalse(row.get(2).isBlank(), row::toString);
        });
        assertEquals(lines(documented), lines(found));
    }

    @Test
    void shouldHaveTheDocumentedExitCodes()
    {
        assertEquals(Set.of(ExitCodes.DONE, ExitCodes.FAILED, ExitCodes.BAD_INPUT, ExitCodes.UNAVAILABLE,
            ExitCodes.PEER_FAILED, 130, 143), CliReference.rows("Exit codes", "code").stream()
            .flatMap((row) -> Stream.of(row.get(0).split(", "))).map(Integer::valueOf).collect(Collectors.toSet()));
    }

    @Test
    void shouldPlanByTheDocumentedKeys()
    {
        CliReference.assertKeys("plan", Set.of(), CliReference.printed("plan", "--json", "--tokens", "4"),
            CliReference.printed("plan", "--json", "--tokens", "4", "--ranks-per-node", "2,1", "--link", "50GB/s"));
    }

    @Test
    void shouldTellOfTransportsByTheDocumentedKeys()
    {
        CliReference.assertKeys("transports", Set.of(), CliReference.printed("transports", "--json"));
    }

    @Test
    void shouldTellOfThisMachineByTheDocumentedKeys()
    {
        CliReference.assertKeys("doctor", Set.of(), CliReference.printed("doctor", "--json"));
    }

    private static String signature(final OptionSpec option)
    {
        final List<String> names = new ArrayList<>(List.of(option.names()));
        final String last = names.remove(names.size() - 1);
        names.add(0 == option.arity().max() ? last : last + " " + option.paramLabel());
        return names.stream().map((name) -> "`" + name + "`").collect(Collectors.joining(", "));
    }

    private static String lines(final Map<String, String> options)
    {
        return options.entrySet().stream().map(Object::toString).collect(Collectors.joining("\n"));
    }
}
