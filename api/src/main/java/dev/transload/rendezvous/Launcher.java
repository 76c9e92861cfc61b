/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous;

import java.util.List;

/** Programs that start ranks, with the environment variables that tell each rank its place in the world. */
public enum Launcher
{
    /** Transload's own variables. Transload's command line sets them, and a script may set them too. */
    TRANSLOAD("Transload", "TRANSLOAD_RANK", List.of("TRANSLOAD_WORLD_SIZE"), "TRANSLOAD_LOCAL_RANK",
        List.of("TRANSLOAD_RANKS_PER_NODE"), List.of("TRANSLOAD_JOB_ID")),

    /** Open MPI's {@code mpirun}. */
    OPEN_MPI("Open MPI", "OMPI_COMM_WORLD_RANK", List.of("OMPI_COMM_WORLD_SIZE"), "OMPI_COMM_WORLD_LOCAL_RANK",
        List.of("OMPI_COMM_WORLD_LOCAL_SIZE"),
        List.of("PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_ess_jobid")),

    /** Slurm's {@code srun}. Variables of a job step take precedence over variables of the job. */
    SLURM("Slurm", "SLURM_PROCID", List.of("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS"), "SLURM_LOCALID",
        List.of("SLURM_STEP_TASKS_PER_NODE", "SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE"),
        List.of("SLURM_JOB_ID", "SLURM_JOBID", "SLURM_STEP_ID", "SLURM_STEPID")),

    /**
     * Kubeflow's trainers. In each pod the trainers set the variables that torchrun reads. Processes that torchrun
     * starts in such a pod belong to {@link #TORCHRUN} instead.
     */
    KUBEFLOW("Kubeflow", "PET_NODE_RANK", "PET_NNODES", "PET_NPROC_PER_NODE", List.of("PET_RDZV_ID")),

    /** PyTorch's {@code torchrun}, and all programs that set the same variables. */
    TORCHRUN("torchrun", "RANK", List.of("WORLD_SIZE"), "LOCAL_RANK", List.of("LOCAL_WORLD_SIZE"),
        List.of("TORCHELASTIC_RUN_ID", "MASTER_PORT")),

    /** A group of a Kubernetes LeaderWorkerSet. Pod 0 is the leader of the group. */
    LEADER_WORKER_SET("LeaderWorkerSet", "LWS_WORKER_INDEX", "LWS_GROUP_SIZE", null, List.of("LWS_LEADER_ADDRESS")),

    /** A replica of a Grove scaling group. The pods of the replica belong to several cliques. */
    GROVE_GROUP("Grove scaling group", "GROVE_PCSG_POD_INDEX", "GROVE_PCSG_TEMPLATE_NUM_PODS", null, List.of()),

    /** A Grove clique. Grove sets no variable for the number of pods in a clique. */
    GROVE_CLIQUE("Grove clique", "GROVE_PCLQ_POD_INDEX", null, null, List.of()),

    /**
     * A Kubernetes JobSet that has only one job. The manifest of the JobSet sets {@code JOBSET_} variables of each pod
     * from the pod's annotations, as {@code deploy/kubernetes/jobset.yaml} does; {@code JOBSET_NAME} is required.
     */
    JOB_SET("JobSet", "JOB_COMPLETION_INDEX", null, null, List.of("JOBSET_NAME")),

    /**
     * A Kubernetes job with completion mode Indexed. Kubernetes does not set the world size, so Transload's variable
     * must be set.
     */
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

    /** A launcher that starts pods. Transload's variables set the number of ranks of each pod. */
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
     * Returns the name of the launcher for messages.
     *
     * @return name, e.g. {@code Open MPI}.
     */
    public String displayName()
    {
        return displayName;
    }

    /**
     * Returns the name of the variable by which the launcher is recognised.
     *
     * @return name of the variable that holds the rank or, if the launcher starts pods, the index of the pod.
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

    /**
     * Returns the names of variables whose values together identify the job. Some of the variables may be unset. The
     * values are equal on all ranks of a job and differ between jobs.
     */
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
