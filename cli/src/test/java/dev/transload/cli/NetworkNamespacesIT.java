/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static dev.transload.cli.NetworkNamespaces.ip;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.gate.Thorough;
import dev.transload.spi.TransportRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Two nodes that reach each other by the network alone: two ranks in each of two network namespaces. */
@Timeout(300)
@Thorough("network namespaces; LaunchersIT has hosts with addresses of their own on loopback")
class NetworkNamespacesIT
{
    private static final String SUBNET = "10.213.7.";

    private final String[] namespaces = {
        "transload-" + ProcessHandle.current().pid() + "-0", "transload-" + ProcessHandle.current().pid() + "-1" };

    @TempDir
    private Path folder;

    /** How a transport is told to leave shared memory aside, and which address is its host's. */
    private static Stream<Arguments> transports()
    {
        final IntFunction<Map<String, String>> aeron = (node) -> Map.of(
            "TRANSLOAD_AERON_DATA_PATH", "messages", "TRANSLOAD_AERON_HOST", SUBNET + (node + 1));
        final IntFunction<Map<String, String>> ucx = (node) -> Map.of("UCX_TLS", "tcp,self");
        final List<String> found = TransportRegistry.discover().providers().stream()
            .map((registered) -> registered.provider().name()).toList();

        return Stream.of(arguments("aeron", aeron), arguments("ucx", ucx))
            .filter((transport) -> found.contains((String)transport.get()[0]));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("transports")
    void shouldVerifyBetweenNamespaces(final String transport, final IntFunction<Map<String, String>> variables)
        throws Exception
    {
        createNamespaces();
        final List<Program.End> ends = end(transport, variables, 2);

        final String said = ends.stream().map(Program.End::err).collect(Collectors.joining());
        assertTrue(ends.stream().allMatch((end) -> ExitCodes.DONE == end.exitCode()), said);
        final JsonNode json = ends.get(0).json();
        assertTrue(json.get("verified").asBoolean());
        assertEquals(2, json.at("/world/nodes").asInt());
        assertEquals(transport, json.at("/transports/scale_out/name").asText());
        assertTrue(json.at("/dispatch/scale_out_bytes").asLong() > 0);
    }

    /** Hosts with names of their own, too: what they put is compared with a stream between them. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("transports")
    void shouldMeasureBetweenNamespaces(final String transport, final IntFunction<Map<String, String>> variables)
        throws Exception
    {
        createNamespaces();
        final List<Program> ranks = new ArrayList<>();
        for (int rank = 0; rank < 2; rank++)
        {
            ranks.add(Program.start(Files.createDirectories(folder.resolve("rank-" + rank)),
                List.of("ip", "netns", "exec", namespaces[rank], "unshare", "--uts", "sh", "-c",
                "hostname node-" + rank + "; exec \"$@\"", "sh"), variables.apply(rank),
                "bench", transport, "--json", "--check", "--sizes", "8,14336", "--iterations", "100", "--timeout",
                "120s", "--rank", String.valueOf(rank), "--world", "2", "--rendezvous", SUBNET + "1:21700"));
        }

        final Program.End first = ranks.get(0).end();
        final Program.End second = ranks.get(1).end();
        assertEquals(ExitCodes.DONE, first.exitCode(), first.err() + second.err());
        assertEquals(ExitCodes.DONE, second.exitCode(), second.err());
        assertEquals("", second.out());
        final JsonNode json = first.json();
        assertEquals(List.of("node-0", "node-1"), json.get("ranks").findValuesAsText("host"));
        assertEquals("stream", json.get("limit").asText());
        assertEquals(4, json.get("results").size());
        json.get("results").forEach((result) ->
            assertTrue(result.get("GBps").asDouble() > 0 && result.get("limit_GBps").asDouble() > 0, result::toString));
    }

    /** Each namespace is another host by its network, though both would find their files in one shared memory. */
    @Test
    void shouldSayWhatReachesAnotherHost() throws Exception
    {
        UcxHost.require();
        createNamespaces();
        for (final Program.End end : end(UcxHost.NAME, (node) -> Map.of("UCX_TLS", "posix,self"), 1))
        {
            assertEquals(ExitCodes.UNAVAILABLE, end.exitCode(), end.err());
            assertEquals(1, end.sentences().size(), end.err());
            assertTrue(end.sentences().get(0).matches("transload: rank \\d cannot reach rank \\d over transport ucx " +
                ".*posix,self stay within this one: name one for the network in transload.ucx.tls"), end.err());
        }
    }

    @AfterEach
    void deleteNamespaces() throws Exception
    {
        for (final String namespace : namespaces)
        {
            ip("netns", "delete", namespace);
        }
    }

    /** The same run, as many ranks a namespace. */
    private List<Program.End> end(
        final String transport, final IntFunction<Map<String, String>> variables, final int ranksPerNode)
        throws Exception
    {
        final List<Program> ranks = new ArrayList<>();
        for (int rank = 0; rank < 2 * ranksPerNode; rank++)
        {
            final int node = rank / ranksPerNode;
            final Map<String, String> place = new HashMap<>(variables.apply(node));
            place.putAll(Map.of("SLURM_PROCID", String.valueOf(rank), "SLURM_NTASKS",
                String.valueOf(2 * ranksPerNode), "SLURM_TASKS_PER_NODE", ranksPerNode + "(x2)", "SLURM_LOCALID",
                String.valueOf(rank % ranksPerNode), "SLURM_JOB_ID", "7", "TRANSLOAD_RENDEZVOUS", SUBNET + "1:21700"));
            ranks.add(Program.start(Files.createDirectories(folder.resolve("rank-" + rank)),
                List.of("ip", "netns", "exec", namespaces[node]), place,
                "run", "--json", "--tokens", "64", "--hidden", "512", "--iterations", "3", "--timeout", "120s",
                "--scale-out", transport, "--scale-up", transport, "-Dtransload.kernels.mode=scalar"));
        }

        final List<Program.End> ends = new ArrayList<>();
        for (final Program rank : ranks)
        {
            ends.add(rank.end());
        }

        return ends;
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
            NetworkNamespaces.skip();
        }
    }
}
