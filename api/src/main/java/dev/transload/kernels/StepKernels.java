/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import java.util.List;

/**
 * Steps of decode calls that a device does by itself (rules STP): programs of {@link StepOp primitives}, given as data,
 * each submitted by one call. An implementation may fuse a program into one kernel.
 * <p>
 * What ranks share is laid out by {@link StepWords}, {@link StepSlots} and {@link StepOutput}, what a submission names
 * by {@link StepArguments}, what it reports by {@link StepStatus}, and what goes to far ranks by {@link StepSends} and
 * {@link StepFifo}. Native code mirrors these seven, and nothing else.
 */
public interface StepKernels
{
    /**
     * What a session needs.
     *
     * @param shape of the session.
     * @return sizes and kinds.
     */
    StepMemory memory(StepShape shape);

    /**
     * Device that does the steps.
     *
     * @return name that no other device of the world has.
     */
    String device();

    /**
     * Most blocks of a session. Blocks that wait stay where they are, so that those of all sessions which share the
     * device must leave room for one of each.
     *
     * @param sessions that share the device, of all ranks.
     * @return blocks, 0 where there is no room for that many sessions.
     */
    int mostBlocks(int sessions);

    /**
     * Why sessions of a shape cannot be opened, whatever their blocks are.
     *
     * @param shape    of the session.
     * @param farRanks number of far ranks.
     * @return one sentence, null where they can be.
     */
    String refusal(StepShape shape, int farRanks);

    /**
     * Open a session. Loads what steps need, so that no step does.
     *
     * @param shape of the session, equal on all ranks but for the own rank.
     * @param peers by rank, the own one too.
     * @param sends what is written for far ranks; null where there are none.
     * @return session.
     */
    StepSession open(StepShape shape, List<StepPeer> peers, StepSendBlocks sends);
}
