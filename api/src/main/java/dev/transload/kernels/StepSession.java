/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.WorkQueue;
import java.util.List;

/**
 * A sequence of dispatches, each followed by at most one combine. The order is the same on all ranks. Positions count
 * submissions. Only one thread may use a session, but any thread may use its {@link #status()}.
 */
public interface StepSession extends WorkQueue, AutoCloseable
{
    /** No room for another submission: call {@link #progress()} and retry. */
    long BACK_PRESSURED = -1;

    /**
     * Compiles a program.
     *
     * @param ops primitives in order, usually one of {@link StepProgram#KNOWN}.
     * @return program, which only this session can run.
     * @throws IllegalArgumentException if this session cannot run the program; the message has the reason.
     */
    StepProgram compile(List<StepOp> ops);

    /**
     * Assigns a number to an output of a rank, or reassigns a number that no unfinished step uses.
     *
     * @param rank   rank that owns the output.
     * @param number number of the output, in [0, {@link StepWords#MAX_TENSORS}).
     * @param output output in this rank's memory, or windows to an output in the memory of another rank.
     */
    void output(int rank, int number, StepOutput output);

    /**
     * Assigns a number to an answers tensor of a rank, as {@link #output} does for outputs. The tensor has the shape
     * [L·R][hidden] (see {@link StepOutput}) and BF16 elements, and begins at the first byte of the region.
     *
     * @param rank    rank that owns the tensor.
     * @param number  number of the tensor, in [0, {@link StepWords#MAX_TENSORS}).
     * @param answers region in this rank's memory, or a window to a region of another rank.
     */
    void answers(int rank, int number, MemoryRegion answers);

    /**
     * Submits a program. This method never blocks, allocates or synchronises. The submission may be captured into a
     * graph and replayed. Each run of a program that begins with BUCKET is a new call, whose number the device keeps
     * (rule STP-1).
     *
     * @param queue     queue that orders the step. The step runs after earlier work of the queue, and later work of the
     *                  queue sees the results of the step.
     * @param program   program of this session.
     * @param arguments arguments, which are copied. When the step runs, it reads the memory to which the arguments
     *                  refer.
     * @return new position or {@link #BACK_PRESSURED}. The position does not change if the queue is being captured,
     *         since captured work may later run any number of times.
     * @throws IllegalArgumentException if an argument is not allowed, or is in a kind of memory that this session
     *                                  cannot read.
     */
    long submit(DeviceQueue queue, StepProgram program, StepArguments arguments);

    /**
     * Advances submitted steps if steps need a thread to advance.
     *
     * @return amount of work done; 0 means that the caller may idle.
     */
    int progress();

    /**
     * Returns the status of the session's steps.
     *
     * @return view that any thread may read until the session closes.
     */
    StepStatus status();

    /**
     * Sets how long a rank may send nothing before it is masked, for steps submitted from now on. Before the first call
     * of this method, the timeout of the shape applies.
     *
     * @param ns number of nanoseconds.
     */
    void timeoutNs(long ns);

    /**
     * Masks a rank, as if a wait for it had timed out. Unfinished steps no longer wait for the masked rank. If the
     * masked rank is alive and has received start words, it may still store rows. Therefore the session sends its next
     * start words only when one timeout has passed since those start words and since the masked rank's latest sign of
     * life. The caller must not change answers that the masked rank may be reading until the lease of that rank has
     * ended (rule STP-6).
     *
     * @param rank rank to mask, which must not be this rank.
     */
    void mask(int rank);

    /**
     * Makes a masked rank active again. The rank may now be another process. Neither this rank nor the other rank may
     * have unfinished steps, and both must have made the same number of calls.
     *
     * @param rank       masked rank to make active.
     * @param peer       memory of the rank from now on.
     * @param generation generation of the pair of ranks. Both ranks must pass the same number, which is larger than all
     *                   earlier generations of the pair. The first generation is 1.
     */
    void activate(int rank, StepPeer peer, int generation);

    /**
     * Returns the FIFO of data for far ranks. A transport has to execute the entries of this FIFO.
     *
     * @return FIFO, null if all ranks are near.
     */
    StepFifo fifo();

    /**
     * Waits for all steps, which end in bounded time. After this method returns, no step stores any data (rule STP-9).
     */
    @Override
    void close();
}
