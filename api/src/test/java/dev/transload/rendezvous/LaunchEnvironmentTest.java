/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

import dev.transload.rendezvous.RendezvousException.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class LaunchEnvironmentTest
{
    private static final Map<String, String> OPEN_MPI = Map.of("OMPI_COMM_WORLD_RANK", "3",
        "OMPI_COMM_WORLD_SIZE", "4", "OMPI_COMM_WORLD_LOCAL_RANK", "1", "OMPI_COMM_WORLD_LOCAL_SIZE", "2");
    private static final Map<String, String> SLURM = Map.of("SLURM_PROCID", "5", "SLURM_NTASKS", "6",
        "SLURM_LOCALID", "2", "SLURM_NTASKS_PER_NODE", "3", "SLURM_JOB_ID", "77");
    private static final Map<String, String> TORCHRUN = Map.of("RANK", "1", "WORLD_SIZE", "2", "LOCAL_RANK", "1",
        "LOCAL_WORLD_SIZE", "2", "MASTER_ADDR", "node-a", "MASTER_PORT", "29500");
    private static final Map<String, String> LWS = Map.of("LWS_WORKER_INDEX", "2", "LWS_GROUP_SIZE", "4",
        "LWS_LEADER_ADDRESS", "decode-0.decode.default");
    private static final Map<String, String> KUBEFLOW = Map.of("PET_NODE_RANK", "2", "PET_NNODES", "4",
        "PET_NPROC_PER_NODE", "1", "PET_MASTER_ADDR", "train-node-0-0.train", "PET_MASTER_PORT", "29400",
        "JOB_COMPLETION_INDEX", "2", "JOBSET_RESTART_ATTEMPT", "1");
    private static final Map<String, String> JOB_SET = Map.of("JOB_COMPLETION_INDEX", "2", "JOBSET_NAME", "decode",
        "JOBSET_REPLICATED_JOB_NAME", "ranks", "JOBSET_JOB_INDEX", "0", "JOBSET_RESTART_ATTEMPT", "3",
        "TRANSLOAD_WORLD_SIZE", "4");
    private static final Map<String, String> TWO_A_POD =
        Map.of("TRANSLOAD_RANKS_PER_POD", "2", "TRANSLOAD_LOCAL_RANK", "1");
    private static final Map<String, String> OWN = Map.of("TRANSLOAD_RANK", "2", "TRANSLOAD_WORLD_SIZE", "4",
        "TRANSLOAD_RANKS_PER_NODE", "2", "TRANSLOAD_LOCAL_RANK", "0", "TRANSLOAD_RENDEZVOUS", "h:1");

    @Test
    void shouldRecogniseNoLauncherInAPlainEnvironment()
    {
        assertEquals(Optional.empty(), LaunchEnvironment.detect(Map.of("RANK", "first", "HOME", "/")));
    }

    @Test
    void shouldReadItsOwnVariables()
    {
        assertEquals(
            new LaunchEnvironment(Launcher.TRANSLOAD, 2, 4, 0, 2, List.of(2, 2), Optional.of("h:1"), 0), detect(OWN));
    }

    @Test
    void shouldReadOpenMpi()
    {
        final LaunchEnvironment launch = detect(OPEN_MPI);
        assertEquals(new LaunchEnvironment(Launcher.OPEN_MPI, 3, 4, 1, 2, List.of(2, 2), Optional.empty(), 0), launch);
        assertEquals("Open MPI says rank 3 of 4, local rank 1 of 2 on its node", launch.describe());
        assertTrue(assertThrows(RendezvousException.class, launch::requireAddress).getMessage()
            .startsWith("TRANSLOAD_RENDEZVOUS is not set"));
    }

    @ParameterizedTest
    @MethodSource("slurmTasksPerNode")
    void shouldReadSlurm(final Map<String, String> changes)
    {
        assertEquals(new LaunchEnvironment(Launcher.SLURM, 5, 6, 2, 3, List.of(3, 3), Optional.empty(), 0),
            detect(with(SLURM, changes)));
    }

    private static Stream<Arguments> slurmTasksPerNode()
    {
        return Stream.of(
            arguments(Map.of()),
            arguments(Map.of("SLURM_NTASKS_PER_NODE", "", "SLURM_TASKS_PER_NODE", "3(x2)")),
            arguments(Map.of("SLURM_NTASKS_PER_NODE", "", "SLURM_NNODES", "2")),
            arguments(Map.of("SLURM_NTASKS", "12", "SLURM_STEP_NUM_TASKS", "6", "SLURM_STEP_TASKS_PER_NODE", "3(x2)")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"0 | 0 | 8", "9 | 1 | 8", "16 | 0 | 4", "19 | 3 | 4"})
    void shouldReadNodesOfDifferentNumbersOfRanks(final String rank, final int localRank, final int ranksOfItsNode)
    {
        final Optional<String> nowhere = Optional.empty();
        assertEquals(
            new LaunchEnvironment(Launcher.SLURM, Integer.parseInt(rank), 20, localRank, ranksOfItsNode,
                List.of(8, 8, 4), nowhere, 0),
            detect(Map.of("SLURM_PROCID", rank, "SLURM_NTASKS", "20", "SLURM_TASKS_PER_NODE", "8(x2),4")));
        assertEquals(
            new LaunchEnvironment(Launcher.OPEN_MPI, Integer.parseInt(rank), 20, localRank, ranksOfItsNode,
                List.of(8, 8, 4), nowhere, 0),
            detect(Map.of("OMPI_COMM_WORLD_RANK", rank, "OMPI_COMM_WORLD_SIZE", "20", "OMPI_COMM_WORLD_LOCAL_SIZE",
                String.valueOf(ranksOfItsNode), "TRANSLOAD_RANKS_PER_NODE", "8,8,4")));
    }

    /** Open MPI tells a rank of its own node only. */
    @Test
    void shouldSayWhichVariableTellsOfTheOtherNodes()
    {
        final LaunchEnvironment launch = detect(Map.of("OMPI_COMM_WORLD_RANK", "3", "OMPI_COMM_WORLD_SIZE", "4",
            "OMPI_COMM_WORLD_LOCAL_SIZE", "3", "OMPI_COMM_WORLD_LOCAL_RANK", "0"));
        assertEquals(3, launch.ranksPerNode());
        assertEquals(List.of(), launch.ranksOfNodes());
        final String refusal =
            assertThrows(RendezvousException.class, launch::requireRanksOfNodes).getMessage();
        assertTrue(refusal.startsWith("Open MPI says rank 3 of 4, local rank 0 of 3 on its node"), refusal);
        assertTrue(refusal.endsWith("set TRANSLOAD_RANKS_PER_NODE to those of all nodes, e.g. 8,8,4"), refusal);
    }

    @Test
    void shouldReadTorchrun()
    {
        assertEquals(new LaunchEnvironment(Launcher.TORCHRUN, 1, 2, 1, 2, List.of(2), Optional.of("node-a:29500"), 0),
            detect(TORCHRUN));
        final LaunchEnvironment agents = detect(with(TORCHRUN, Map.of("TORCHELASTIC_USE_AGENT_STORE", "True")));
        assertTrue(agents.requireAddress().startsWith("node-a:"), agents.requireAddress());
        assertNotEquals("node-a:29500", agents.requireAddress());
    }

    @Test
    void shouldReadAKubernetesIndexedJob()
    {
        assertEquals(
            new LaunchEnvironment(Launcher.KUBERNETES, 1, 3, 0, 1, List.of(1, 1, 1), Optional.of("job.svc:7800"), 0),
            detect(Map.of("JOB_COMPLETION_INDEX", "1", "TRANSLOAD_WORLD_SIZE", "3",
                "TRANSLOAD_RENDEZVOUS", "job.svc:7800")));
    }

    /** Pod 2 of 4, alone on its node; with two ranks each, rank 5 of 8 is its second one. */
    @ParameterizedTest
    @MethodSource("pods")
    void shouldReadLaunchersOfPods(
        final Launcher launcher, final Map<String, String> pod, final String address, final int generation)
    {
        final Optional<String> first = Optional.ofNullable(address);
        assertEquals(new LaunchEnvironment(launcher, 2, 4, 0, 1, List.of(1, 1, 1, 1), first, generation), detect(pod));

        final Map<String, String> two = with(pod, with(TWO_A_POD, pod.containsKey("TRANSLOAD_WORLD_SIZE") ?
            Map.of("TRANSLOAD_WORLD_SIZE", "8") : Map.of()));
        assertEquals(new LaunchEnvironment(launcher, 5, 8, 1, 2, List.of(2, 2, 2, 2), first, generation), detect(two));
        assertEquals(new LaunchEnvironment(launcher, 5, 8, 1, 4, List.of(4, 4), first, generation),
            detect(with(two, Map.of("TRANSLOAD_RANKS_PER_NODE", "4"))));
        assertEquals(Optional.of("h:1"), detect(with(two, Map.of("TRANSLOAD_RENDEZVOUS", "h:1"))).address());
    }

    private static Stream<Arguments> pods()
    {
        return Stream.of(
            arguments(Launcher.LEADER_WORKER_SET, LWS, "decode-0.decode.default:7800", 0),
            arguments(Launcher.KUBEFLOW, KUBEFLOW, "train-node-0-0.train:29400", 1),
            arguments(Launcher.GROVE_GROUP, Map.of("GROVE_PCSG_POD_INDEX", "2", "GROVE_PCLQ_POD_INDEX", "1",
                "GROVE_PCSG_NAME", "s-0-model", "GROVE_PCSG_TEMPLATE_NUM_PODS", "4"), null, 0),
            arguments(Launcher.GROVE_CLIQUE, Map.of("GROVE_PCLQ_POD_INDEX", "2", "TRANSLOAD_WORLD_SIZE", "4",
                "GROVE_PCLQ_NAME", "s-0-experts", "GROVE_HEADLESS_SERVICE", "s-0.ns.svc.cluster.local"),
                "s-0-experts-0.s-0.ns.svc.cluster.local:7800", 0),
            arguments(Launcher.JOB_SET, JOB_SET, "decode-ranks-0-0.decode:7800", 3),
            arguments(Launcher.KUBERNETES, Map.of("JOB_COMPLETION_INDEX", "2", "TRANSLOAD_WORLD_SIZE", "4"), null, 0));
    }

    @Test
    void shouldReadHowManyRanksAPodOfKubeflowHas()
    {
        assertEquals(detect(with(KUBEFLOW, TWO_A_POD)),
            detect(with(KUBEFLOW, Map.of("PET_NPROC_PER_NODE", "2", "TRANSLOAD_LOCAL_RANK", "1"))));
        assertEquals(detect(with(KUBEFLOW, TWO_A_POD)), detect(with(KUBEFLOW, with(TWO_A_POD,
            Map.of("PET_NPROC_PER_NODE", "auto")))));
    }

    /** Its processes have the variables of their pod besides. */
    @Test
    void shouldTakeATorchrunInAPodOfKubeflowForItself()
    {
        assertEquals(detect(TORCHRUN), detect(with(KUBEFLOW, TORCHRUN)));
    }

    @Test
    void shouldTellTheGeneration()
    {
        assertEquals("JobSet says rank 2 of 4, local rank 0 of 1 on its node, generation 3",
            detect(JOB_SET).describe());
    }

    @Test
    void shouldPreferItsOwnVariablesToALaunchers()
    {
        final Map<String, String> both = with(OPEN_MPI, OWN);
        assertEquals(detect(OWN), detect(both));
        assertEquals(Optional.of("h:1"),
            detect(with(OPEN_MPI, Map.of("TRANSLOAD_RENDEZVOUS", "h:1"))).address());
    }

    @Test
    void shouldDeriveALoopbackPortFromTheJobWhereAllRanksAreLocal()
    {
        final Map<String, String> local = Map.of("SLURM_NTASKS_PER_NODE", "6", "SLURM_LOCALID", "5");
        final String address = detect(with(SLURM, local)).requireAddress();
        assertTrue(address.matches("127\\.0\\.0\\.1:2\\d{4}"), address);
        final Map<String, String> otherRank = with(SLURM, with(local, Map.of("SLURM_PROCID", "0",
            "SLURM_LOCALID", "0")));
        assertEquals(address, detect(otherRank).requireAddress());
        final Map<String, String> otherJob = with(SLURM, with(local, Map.of("SLURM_JOB_ID", "78")));
        assertNotEquals(address, detect(otherJob).requireAddress());
    }

    @ParameterizedTest
    @MethodSource("wrongEnvironments")
    void shouldNameVariableValueAndWhatIsAllowed(final Map<String, String> environment, final String sentence)
    {
        final RendezvousException ex =
            assertThrows(RendezvousException.class, () -> LaunchEnvironment.detect(environment));
        assertEquals(Reason.BAD_CONFIGURATION, ex.reason());
        assertTrue(ex.getMessage().contains(sentence), ex.getMessage());
    }

    private static Stream<Arguments> wrongEnvironments()
    {
        return Stream.of(
            arguments(with(OWN, Map.of("TRANSLOAD_RANK", "two")),
                "TRANSLOAD_RANK=two is not allowed; a whole number from 0"),
            arguments(with(OWN, Map.of("TRANSLOAD_WORLD_SIZE", "0")),
                "TRANSLOAD_WORLD_SIZE=0 is not allowed; a whole number from 1"),
            arguments(with(OWN, Map.of("TRANSLOAD_RANK", "4")),
                "TRANSLOAD_RANK=4 is outside of the world: TRANSLOAD_WORLD_SIZE=4, so 0 to 3 is allowed"),
            arguments(Map.of("TRANSLOAD_RANK", "1", "TRANSLOAD_WORLD_SIZE", "4", "TRANSLOAD_RANKS_PER_NODE", "3"),
                "TRANSLOAD_RANKS_PER_NODE=3 doesn't divide the world: TRANSLOAD_WORLD_SIZE=4"),
            arguments(with(OWN, Map.of("TRANSLOAD_RANKS_PER_NODE", "2,1")),
                "TRANSLOAD_RANKS_PER_NODE=2,1 doesn't fit the world: TRANSLOAD_WORLD_SIZE=4"),
            arguments(with(OWN, Map.of("TRANSLOAD_RANKS_PER_NODE", "3,1")),
                "TRANSLOAD_LOCAL_RANK=0 doesn't fit: with TRANSLOAD_RANK=2 and TRANSLOAD_RANKS_PER_NODE=3,1 only 2"),
            arguments(with(OPEN_MPI, Map.of("OMPI_COMM_WORLD_LOCAL_RANK", "0")),
                "OMPI_COMM_WORLD_LOCAL_RANK=0 doesn't fit"),
            arguments(with(SLURM, Map.of("SLURM_NTASKS_PER_NODE", "", "SLURM_TASKS_PER_NODE", "4(y2),2")),
                "SLURM_TASKS_PER_NODE=4(y2),2 is not allowed; a whole number from 1 to 1048576 is, or one for each"),
            arguments(Map.of("JOB_COMPLETION_INDEX", "1"), "set TRANSLOAD_WORLD_SIZE"),
            arguments(with(LWS, Map.of("LWS_WORKER_INDEX", "4")),
                "LWS_WORKER_INDEX=4 is outside of the world: LWS_GROUP_SIZE=4, so 0 to 3 is allowed"),
            arguments(Map.of("LWS_WORKER_INDEX", "1"),
                "LWS_WORKER_INDEX=1 gives a pod but nothing gives the number of pods; set LWS_GROUP_SIZE"),
            arguments(with(LWS, Map.of("TRANSLOAD_RANKS_PER_POD", "2")),
                "TRANSLOAD_RANKS_PER_POD=2 gives each pod 2 ranks but nothing tells them apart; set " +
                "TRANSLOAD_LOCAL_RANK of each to one of 0 to 1"),
            arguments(with(LWS, Map.of("TRANSLOAD_RANKS_PER_POD", "2", "TRANSLOAD_LOCAL_RANK", "2")),
                "TRANSLOAD_LOCAL_RANK=2 is not allowed; a whole number from 0 to 1 is"),
            arguments(with(LWS, with(TWO_A_POD, Map.of("TRANSLOAD_WORLD_SIZE", "4"))), "TRANSLOAD_WORLD_SIZE=4 " +
                "doesn't fit: LWS_GROUP_SIZE=4 times TRANSLOAD_RANKS_PER_POD=2 makes 8"),
            arguments(with(LWS, Map.of("LWS_GROUP_SIZE", "1048576", "TRANSLOAD_RANKS_PER_POD", "1048576")),
                "makes 1099511627776; at most 1048576 is allowed"),
            arguments(with(JOB_SET, Map.of("TRANSLOAD_RANKS_PER_POD", "3", "TRANSLOAD_LOCAL_RANK", "0")),
                "TRANSLOAD_RANKS_PER_POD=3 doesn't divide the world: TRANSLOAD_WORLD_SIZE=4"),
            arguments(with(JOB_SET, Map.of("JOBSET_JOB_INDEX", "1")), "JOBSET_JOB_INDEX=1 is not allowed"),
            arguments(with(JOB_SET, Map.of("JOBSET_RESTART_ATTEMPT", "-1")),
                "JOBSET_RESTART_ATTEMPT=-1 is not allowed"),
            arguments(with(KUBEFLOW, Map.of("PET_NNODES", "1:4")), "PET_NNODES=1:4 is not allowed"),
            arguments(with(KUBEFLOW, Map.of("PET_NPROC_PER_NODE", "auto")),
                "PET_NPROC_PER_NODE=auto is no number; set TRANSLOAD_RANKS_PER_POD"),
            arguments(Map.of("PET_NODE_RANK", "0", "PET_NNODES", "2", "PET_MASTER_ADDR", "m"),
                "PET_MASTER_ADDR=m is set but PET_MASTER_PORT is not"),
            arguments(Map.of("GROVE_PCLQ_POD_INDEX", "0", "GROVE_PCSG_NAME", "s-0-model"),
                "GROVE_PCSG_NAME=s-0-model is set but GROVE_PCSG_POD_INDEX is not"),
            arguments(with(TORCHRUN, Map.of("MASTER_PORT", "0")),
                "MASTER_PORT=0 is not allowed; a whole number from 1 to 65535"));
    }

    private static LaunchEnvironment detect(final Map<String, String> environment)
    {
        return LaunchEnvironment.detect(environment).orElseThrow();
    }

    private static Map<String, String> with(final Map<String, String> environment, final Map<String, String> changes)
    {
        final Map<String, String> changed = new HashMap<>(environment);
        changed.putAll(changes);
        return changed;
    }
}
