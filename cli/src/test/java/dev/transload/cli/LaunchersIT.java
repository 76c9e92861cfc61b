/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.gate.Thorough;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Ranks with the variables of launchers that are not installed here, as those set them. Hosts are addresses of the
 * loopback network, so that ranks bind, listen and connect by the address of their own host.
 */
@Timeout(300)
class LaunchersIT
{
    @TempDir
    private Path folder;

    @Test
    @Thorough("an indexed job shows that hosts meet by addresses; SlurmIT has Slurm itself")
    void shouldVerifyASlurmStepOfTwoNodes() throws Exception
    {
        final String address = LocalPort.freeAddress();
        final JsonNode json = verified(4, (rank) -> Map.of(
            "SLURM_JOB_ID", "4711", "SLURM_STEP_ID", "0", "SLURM_PROCID", String.valueOf(rank), "SLURM_NTASKS", "4",
            "SLURM_STEP_NUM_TASKS", "4", "SLURM_STEP_TASKS_PER_NODE", "2(x2)", "SLURM_NNODES", "2",
            "SLURM_LOCALID", String.valueOf(rank % 2), "TRANSLOAD_RENDEZVOUS", address,
            "TRANSLOAD_AERON_HOST", host(rank / 2)), "-Dtransload.aeron.data-path=messages");

        assertWorld(json, 2, 2);
    }

    /** One node: Slurm names the job, so that loopback and a port of its own need no telling. */
    @Test
    @Thorough("the step of two nodes shows that ranks of Slurm meet; LaunchEnvironmentTest, what they read")
    void shouldVerifyASlurmStepOfOneNodeWithoutAnAddress() throws Exception
    {
        final String job = String.valueOf(ProcessHandle.current().pid());
        final JsonNode json = verified(2, (rank) -> Map.of(
            "SLURM_JOB_ID", job, "SLURM_STEP_ID", "3", "SLURM_PROCID", String.valueOf(rank), "SLURM_NTASKS", "2",
            "SLURM_TASKS_PER_NODE", "2", "SLURM_LOCALID", String.valueOf(rank)));

        assertWorld(json, 1, 2);
    }

    @Test
    @Thorough("ranks meet beside the agent's store in the gate; LaunchEnvironmentTest has nodes of two agents")
    void shouldVerifyTwoAgentsOfTorchrun() throws Exception
    {
        final String port = String.valueOf(LocalPort.free());
        final JsonNode json = verified(4, (rank) -> Map.of(
            "RANK", String.valueOf(rank), "WORLD_SIZE", "4", "LOCAL_RANK", String.valueOf(rank % 2),
            "LOCAL_WORLD_SIZE", "2", "GROUP_RANK", String.valueOf(rank / 2), "MASTER_ADDR", "127.0.0.1",
            "MASTER_PORT", port, "TORCHELASTIC_RUN_ID", "none", "TRANSLOAD_AERON_HOST", host(rank / 2)),
            "-Dtransload.aeron.data-path=messages");

        assertWorld(json, 2, 2);
    }

    /** The agent's own store keeps the master port for as long as the job lives. */
    @Test
    void shouldMeetBesideTheStoreOfTorchrunsAgent() throws Exception
    {
        try (ServerSocket store = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1")))
        {
            final String id = "run-" + ProcessHandle.current().pid();
            final JsonNode json = verified(2, (rank) -> Map.of(
                "RANK", String.valueOf(rank), "WORLD_SIZE", "2", "LOCAL_RANK", String.valueOf(rank),
                "LOCAL_WORLD_SIZE", "2", "MASTER_ADDR", "127.0.0.1",
                "MASTER_PORT", String.valueOf(store.getLocalPort()), "TORCHELASTIC_RUN_ID", id,
                "TORCHELASTIC_USE_AGENT_STORE", "True"));

            assertWorld(json, 1, 2);
        }
    }

    /**
     * A pod a rank, all addresses listed, each on the port of its own host. Pods may have different room for rings,
     * which must be equal on all ranks: the least is taken.
     */
    @Test
    void shouldVerifyAnIndexedJobOfKubernetes() throws Exception
    {
        final int port = LocalPort.free();
        final JsonNode json = verified(3, (rank) ->
        {
            final Map<String, String> pod = new HashMap<>(Map.of(
                "JOB_COMPLETION_INDEX", String.valueOf(rank), "TRANSLOAD_WORLD_SIZE", "3",
                "TRANSLOAD_RENDEZVOUS", host(0) + ":" + port + "," + host(1) + ":" + port + "," + host(2) + ":" + port,
                "TRANSLOAD_AERON_HOST", host(rank)));
            if (1 == rank)
            {
                pod.put("TRANSLOAD_RING_MEMORY", "64 KiB");
            }

            return pod;
        }, "-Dtransload.aeron.data-path=messages");

        assertWorld(json, 3, 1);
    }

    /** Pods of one node shaped as two nodes, as on a single machine with four devices. */
    @Test
    @Thorough("an indexed job of three pods runs in the gate; LaunchEnvironmentTest has the variables")
    void shouldShapeAnIndexedJobByVariables() throws Exception
    {
        final String address = "localhost:" + LocalPort.free();
        final JsonNode json = verified(4, (rank) -> Map.of(
            "JOB_COMPLETION_INDEX", String.valueOf(rank), "TRANSLOAD_WORLD_SIZE", "4",
            "TRANSLOAD_RANKS_PER_NODE", "2", "TRANSLOAD_RENDEZVOUS", address));

        assertWorld(json, 2, 2);
    }

    @Test
    void shouldNameTheVariableThatSlurmNeedsForTwoNodes() throws Exception
    {
        final Program.End end = rank(0, Map.of("SLURM_JOB_ID", "1", "SLURM_PROCID", "0", "SLURM_NTASKS", "2",
            "SLURM_TASKS_PER_NODE", "1(x2)")).end();

        assertEquals(ExitCodes.BAD_INPUT, end.exitCode(), end.err());
        assertTrue(end.err().contains("TRANSLOAD_RENDEZVOUS is not set, and Slurm gives the 2 ranks no address"),
            end.err());
    }

    @Test
    void shouldNameTheVariableThatAnIndexedJobNeeds() throws Exception
    {
        final Program.End end = rank(0, Map.of("JOB_COMPLETION_INDEX", "0")).end();

        assertEquals(ExitCodes.BAD_INPUT, end.exitCode(), end.err());
        assertTrue(end.err().contains("TRANSLOAD_WORLD_SIZE"), end.err());
    }

    private JsonNode verified(
        final int worldSize, final IntFunction<Map<String, String>> environment, final String... options)
        throws Exception
    {
        final List<Program> programs = new ArrayList<>();
        for (int rank = 0; rank < worldSize; rank++)
        {
            programs.add(rank(rank, environment.apply(rank), options));
        }

        final List<Program.End> ends = new ArrayList<>();
        for (final Program program : programs)
        {
            ends.add(program.end());
        }

        final StringBuilder said = new StringBuilder();
        ends.forEach((end) -> said.append(end.err()));
        for (int rank = 0; rank < worldSize; rank++)
        {
            assertEquals(ExitCodes.DONE, ends.get(rank).exitCode(), said.toString());
            assertTrue(0 == rank || ends.get(rank).out().isEmpty(), ends.get(rank).out());
        }

        return ends.get(0).json();
    }

    private Program rank(final int rank, final Map<String, String> environment, final String... options)
        throws IOException
    {
        final List<String> args = new ArrayList<>(List.of("run", "--json", "--tokens", "16", "--hidden", "128",
            "--experts", "8", "--topk", "2", "-Dtransload.kernels.mode=scalar", "--timeout", "120s"));
        args.addAll(List.of(options));
        return Program.start(Files.createDirectories(folder.resolve("rank-" + rank)), List.of(), environment,
            args.toArray(String[]::new));
    }

    private static void assertWorld(final JsonNode json, final int nodes, final int ranksPerNode)
    {
        assertTrue(json.get("verified").asBoolean());
        assertEquals(nodes, json.at("/world/nodes").asInt());
        assertEquals(ranksPerNode, json.at("/world/ranks_per_node").asInt());
        assertEquals(nodes * ranksPerNode, json.get("ranks").size());
    }

    private static String host(final int node)
    {
        return "127.0.0." + (node + 1);
    }
}
