/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.WorkQueue;
import java.util.List;

/**
 * One lane of calls: dispatches, each followed by at most one combine, one step after the other, in the same order on
 * all ranks. Positions count submissions. Used by one thread but for {@link #status()}.
 */
public interface StepSession extends WorkQueue, AutoCloseable
{
    /** No room for another submission: call {@link #progress()} and retry. */
    long BACK_PRESSURED = -1;

    /**
     * Make a program ready.
     *
     * @param ops primitives in order, one of {@link StepProgram#KNOWN}.
     * @return program of this session.
     * @throws IllegalArgumentException for a program that this session cannot do, saying why.
     */
    StepProgram compile(List<StepOp> ops);

    /**
     * Give a rank's output a number, or the number another output, where no step under way uses it.
     *
     * @param rank   whose memory it is.
     * @param number in [0, {@link StepWords#MAX_TENSORS}).
     * @param output own memory, or windows to it.
     */
    void output(int rank, int number, StepOutput output);

    /**
     * Give a rank's answers tensor a number, as {@link #output} does: [L·R][hidden] BF16 from its first byte on.
     *
     * @param rank    whose memory it is.
     * @param number  in [0, {@link StepWords#MAX_TENSORS}).
     * @param answers own memory, or a window to it.
     */
    void answers(int rank, int number, MemoryRegion answers);

    /**
     * Submit a program. Never blocks, allocates or synchronises, and may be captured and replayed: each run of a
     * program that begins with BUCKET is a new call, whose number the device keeps (rule STP-1).
     *
     * @param queue     whose work before is done first, and whose work behind sees what the step has written.
     * @param program   of this session.
     * @param arguments copied; what they point to is read when the step runs.
     * @return new position or {@link #BACK_PRESSURED}; the position as it was where the queue is being captured, since
     *     what is captured runs whenever its graph does.
     * @throws IllegalArgumentException where an argument cannot be, or is of a kind that this session cannot read.
     */
    long submit(DeviceQueue queue, StepProgram program, StepArguments arguments);

    /**
     * Advance steps where that takes a thread.
     *
     * @return work done; 0 means that the caller may idle.
     */
    int progress();

    /**
     * What became of steps.
     *
     * @return view that any thread may read, until the session closes.
     */
    StepStatus status();

    /**
     * How long a rank may be silent, in steps that are submitted from now on; at first as the shape says.
     *
     * @param ns nanoseconds.
     */
    void timeoutNs(long ns);

    /**
     * Have a rank take part no more, as if it was waited for in vain. Steps under way wait for it no longer. Where it
     * lives and has got its starts, the next starts are given a timeout after these (rule STP-6); answers that it may
     * be reading must stay for a timeout, which is the caller's affair.
     *
     * @param rank another one.
     */
    void mask(int rank);

    /**
     * Have a rank take part again, or another process as this rank, at a quiet moment: no step is under way on either
     * side, and both have made as many calls.
     *
     * @param rank       another one.
     * @param peer       its memory from now on.
     * @param generation of the pair, equal on both sides, above any that the pair had; 1 at first.
     */
    void activate(int rank, StepPeer peer, int generation);

    /**
     * Posts that a transport has to bring to far ranks.
     *
     * @return queue, null where all ranks are near.
     */
    StepFifo fifo();

    /** Wait for all steps, which end in bounded time; nothing is stored any more when it returns (rule STP-9). */
    @Override
    void close();
}
