/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import java.util.List;

/**
 * Runs steps of low-latency calls on a device, without the host (rules STP in {@code docs/reference/spi-rules.md}). A
 * step runs a program, which is a list of {@link StepOp primitives} and is submitted as a whole. An implementation may
 * fuse a program into one kernel.
 * <p>
 * {@link StepWords}, {@link StepSlots} and {@link StepOutput} define the memory that ranks share. {@link StepArguments}
 * defines the arguments of a submission, and {@link StepStatus} defines what steps report. {@link StepSends} and
 * {@link StepFifo} define the data that is sent to far ranks. Of the classes for steps, native code repeats only the
 * layouts and values of these seven, and ordinals of enum constants.
 */
public interface StepKernels
{
    /**
     * Returns the memory that a session needs.
     *
     * @param shape shape of the session.
     * @return sizes and kinds of the memory.
     */
    StepMemory memory(StepShape shape);

    /**
     * Returns the name of the device that runs the steps.
     *
     * @return name that no other device of the world has.
     */
    String device();

    /**
     * Returns the largest number of blocks that a kernel of a session may have ({@link StepShape#blocks()}). A block
     * that waits occupies the device, so all sessions that share the device must be able to run at least one block each
     * at the same time.
     *
     * @param sessions number of sessions that share the device, including those of other ranks.
     * @return number of blocks; 0 if the device has no room for that many sessions.
     */
    int mostBlocks(int sessions);

    /**
     * Returns why sessions of a shape cannot be opened, whatever their number of blocks is.
     *
     * @param shape    shape of the session.
     * @param farRanks number of far ranks.
     * @return one sentence that gives the reason; null if sessions of this shape can be opened.
     */
    String refusal(StepShape shape, int farRanks);

    /**
     * Opens a session. This method loads all code that steps need, so that no step has to load code.
     *
     * @param shape shape of the session. All values except {@code ownRank} and {@code firstCall} must be equal on all
     *              ranks.
     * @param peers memory of each rank, in the order of ranks; this rank is included.
     * @param sends memory for data that is sent to far ranks; null if no rank is far.
     * @return session.
     */
    StepSession open(StepShape shape, List<StepPeer> peers, StepSendBlocks sends);
}
