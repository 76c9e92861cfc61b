/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.cli.outcome.ExitCodes;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What docs/CLI.md and the schemas promise is there, and what is there is documented. */
class CliReferenceTest
{
    private final Map<String, CommandLine> commands = Main.program().getSubcommands();

    @Test
    void shouldListAllCommands()
    {
        assertEquals(new TreeSet<>(commands.keySet()), CliReference.rows("The command line", "command").stream()
            .map((row) -> row.get(0).replaceAll("^.*?`|`.*$", "")).collect(Collectors.toCollection(TreeSet::new)));
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
}
