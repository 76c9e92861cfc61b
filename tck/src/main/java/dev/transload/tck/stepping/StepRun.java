/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepOp;
import java.util.ArrayList;
import java.util.List;

/** One submission under way: what its blocks share. */
final class StepRun
{
    final List<StepOp> ops;
    final StepArguments arguments;
    final int blocks;
    /** Sources in the order in which their counts came; for the fault that takes it for theirs. */
    final List<Integer> arrivals = new ArrayList<>();
    /** By rank: value of what it has told last. */
    final int[] values;
    boolean isBucketed;
    boolean isStarted;
    /** The block that was the last to tell, which waits for all. */
    int lastBlock = StepCall.NONE;
    int leftOut;
    private final int[] tickets;

    StepRun(final List<StepOp> ops, final StepArguments arguments, final int blocks, final int ranks)
    {
        this.ops = ops;
        this.arguments = arguments;
        this.blocks = blocks;
        this.values = new int[ranks];
        this.tickets = new int[ops.size()];
    }

    /** Whether a block is the last that comes to a primitive. */
    boolean isLast(final int op)
    {
        tickets[op]++;
        return tickets[op] == blocks;
    }

    /** Index of REDUCE, or −1. */
    int sums()
    {
        return ops.indexOf(StepOp.REDUCE);
    }
}
