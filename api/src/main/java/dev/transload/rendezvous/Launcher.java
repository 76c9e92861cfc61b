/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

import java.util.List;

/** The program that started the ranks, and the environment variables by which it tells each rank its place. */
public enum Launcher
{
    /** Transload's own variables: its command line, or any script that sets them. */
    TRANSLOAD("Transload", "TRANSLOAD_RANK", List.of("TRANSLOAD_WORLD_SIZE"), "TRANSLOAD_LOCAL_RANK",
        List.of("TRANSLOAD_RANKS_PER_NODE"), List.of("TRANSLOAD_JOB_ID")),

    /** Open MPI's {@code mpirun}. */
    OPEN_MPI("Open MPI", "OMPI_COMM_WORLD_RANK", List.of("OMPI_COMM_WORLD_SIZE"), "OMPI_COMM_WORLD_LOCAL_RANK",
        List.of("OMPI_COMM_WORLD_LOCAL_SIZE"),
        List.of("PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_ess_jobid")),

    /** Slurm's {@code srun}; a step's own variables win over those of the whole job. */
    SLURM("Slurm", "SLURM_PROCID", List.of("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS"), "SLURM_LOCALID",
        List.of("SLURM_STEP_TASKS_PER_NODE", "SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE"),
        List.of("SLURM_JOB_ID", "SLURM_JOBID", "SLURM_STEP_ID", "SLURM_STEPID")),

    /** Kubeflow's trainers, which tell a pod what torchrun would read; a process of torchrun's is a rank already. */
    KUBEFLOW("Kubeflow", "PET_NODE_RANK", "PET_NNODES", "PET_NPROC_PER_NODE", List.of("PET_RDZV_ID")),

    /** PyTorch's {@code torchrun}, and all that speak as it does. */
    TORCHRUN("torchrun", "RANK", List.of("WORLD_SIZE"), "LOCAL_RANK", List.of("LOCAL_WORLD_SIZE"),
        List.of("TORCHELASTIC_RUN_ID", "MASTER_PORT")),

    /** A group of Kubernetes' LeaderWorkerSet; its leader is pod 0. */
    LEADER_WORKER_SET("LeaderWorkerSet", "LWS_WORKER_INDEX", "LWS_GROUP_SIZE", null, List.of("LWS_LEADER_ADDRESS")),

    /** A replica of a Grove scaling group, whose pods are of several cliques. */
    GROVE_GROUP("Grove scaling group", "GROVE_PCSG_POD_INDEX", "GROVE_PCSG_TEMPLATE_NUM_PODS", null, List.of()),

    /** A Grove clique, which doesn't tell how many pods it has. */
    GROVE_CLIQUE("Grove clique", "GROVE_PCLQ_POD_INDEX", null, null, List.of()),

    /** The one job of a Kubernetes JobSet, whose manifest hands its annotations on as variables. */
    JOB_SET("JobSet", "JOB_COMPLETION_INDEX", null, null, List.of("JOBSET_NAME")),

    /** A Kubernetes job with completion mode Indexed; it doesn't tell the world size, Transload's variable does. */
    KUBERNETES("Kubernetes indexed job", "JOB_COMPLETION_INDEX", null, null, List.of());

    private final String displayName;
    private final String rankVariable;
    private final List<String> worldSizeVariables;
    private final String localRankVariable;
    private final List<String> ranksPerNodeVariables;
    private final List<String> jobVariables;
    private final boolean isOfPods;
    private final String podsVariable;
    private final String ranksPerPodVariable;

    Launcher(
        final String displayName,
        final String rankVariable,
        final List<String> worldSizeVariables,
        final String localRankVariable,
        final List<String> ranksPerNodeVariables,
        final List<String> jobVariables)
    {
        this.displayName = displayName;
        this.rankVariable = rankVariable;
        this.worldSizeVariables = worldSizeVariables;
        this.localRankVariable = localRankVariable;
        this.ranksPerNodeVariables = ranksPerNodeVariables;
        this.jobVariables = jobVariables;
        isOfPods = false;
        podsVariable = null;
        ranksPerPodVariable = null;
    }

    /** One that starts pods; Transload's variables say how many ranks each has. Null where it tells no number. */
    Launcher(
        final String displayName,
        final String podVariable,
        final String podsVariable,
        final String ranksPerPodVariable,
        final List<String> jobVariables)
    {
        this.displayName = displayName;
        rankVariable = podVariable;
        worldSizeVariables = List.of();
        localRankVariable = null;
        ranksPerNodeVariables = List.of();
        this.jobVariables = jobVariables;
        isOfPods = true;
        this.podsVariable = podsVariable;
        this.ranksPerPodVariable = ranksPerPodVariable;
    }

    /**
     * For messages to people.
     *
     * @return e.g. {@code Open MPI}.
     */
    public String displayName()
    {
        return displayName;
    }

    /**
     * Variable whose presence gives the launcher away.
     *
     * @return name of the variable that holds the rank, or the pod where the launcher starts pods.
     */
    public String rankVariable()
    {
        return rankVariable;
    }

    List<String> worldSizeVariables()
    {
        return worldSizeVariables;
    }

    String localRankVariable()
    {
        return localRankVariable;
    }

    List<String> ranksPerNodeVariables()
    {
        return ranksPerNodeVariables;
    }

    /** All that are set name the job together: equal on its ranks, different for another job. */
    List<String> jobVariables()
    {
        return jobVariables;
    }

    boolean isOfPods()
    {
        return isOfPods;
    }

    String podsVariable()
    {
        return podsVariable;
    }

    String ranksPerPodVariable()
    {
        return ranksPerPodVariable;
    }
}
