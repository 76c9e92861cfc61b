/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.transload.cli.outcome.ExitCodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two ranks that reach each other by UDP alone, each in a network namespace of its own. */
@Timeout(300)
class NetworkNamespacesIT
{
    private static final String SUBNET = "10.213.7.";

    private final String[] namespaces = {
        "transload-" + ProcessHandle.current().pid() + "-0", "transload-" + ProcessHandle.current().pid() + "-1" };

    @TempDir
    private Path folder;

    @Test
    void shouldVerifyOverUdpBetweenNamespaces() throws Exception
    {
        createNamespaces();
        final Program[] ranks = new Program[2];
        for (int rank = 0; rank < 2; rank++)
        {
            ranks[rank] = Program.start(Files.createDirectories(folder.resolve("rank-" + rank)),
                List.of("ip", "netns", "exec", namespaces[rank]),
                Map.of("TRANSLOAD_RANK", String.valueOf(rank), "TRANSLOAD_WORLD_SIZE", "2",
                    "TRANSLOAD_RANKS_PER_NODE", "1",
                    "TRANSLOAD_RENDEZVOUS", SUBNET + "1:21700," + SUBNET + "2:21700"),
                "run", "--json", "--tokens", "64", "--hidden", "512", "--iterations", "3", "--timeout", "60s",
                "-Dtransload.aeron.data-path=messages", "-Dtransload.aeron.host=" + SUBNET + (rank + 1));
        }

        final Program.End first = ranks[0].end();
        final Program.End second = ranks[1].end();
        assertEquals(ExitCodes.DONE, first.exitCode(), first.err() + second.err());
        assertEquals(ExitCodes.DONE, second.exitCode(), second.err());
        assertTrue(first.json().get("verified").asBoolean());
        assertTrue(first.json().at("/dispatch/scale_out_bytes").asLong() > 0);
    }

    @AfterEach
    void deleteNamespaces() throws Exception
    {
        for (final String namespace : namespaces)
        {
            ip("netns", "delete", namespace);
        }
    }

    private void createNamespaces() throws Exception
    {
        final String device = "tl" + ProcessHandle.current().pid();
        boolean isDone = true;
        for (final String namespace : namespaces)
        {
            isDone &= ip("netns", "add", namespace);
        }

        isDone = isDone && ip("link", "add", device + "a", "netns", namespaces[0], "type", "veth", "peer", "name",
            device + "b", "netns", namespaces[1]);
        for (int rank = 0; isDone && rank < 2; rank++)
        {
            final String own = device + (0 == rank ? "a" : "b");
            isDone = ip("-n", namespaces[rank], "address", "add", SUBNET + (rank + 1) + "/24", "dev", own) &&
                ip("-n", namespaces[rank], "link", "set", own, "up") &&
                ip("-n", namespaces[rank], "link", "set", "lo", "up");
        }

        if (!isDone)
        {
            final String skipped = "SKIPPED: network namespaces cannot be made here (root and iproute2 are needed)";
            System.err.println("=".repeat(80) + "\n" + skipped + "\n" + "=".repeat(80));
            abort(skipped);
        }
    }

    private static boolean ip(final String... args) throws InterruptedException
    {
        final List<String> command = new java.util.ArrayList<>(List.of("ip"));
        command.addAll(List.of(args));
        try
        {
            return 0 == new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
        }
        catch (final IOException ex)
        {
            System.err.println("ip cannot be started: " + ex.getMessage());
            return false;
        }
    }
}
