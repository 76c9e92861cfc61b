/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.DeviceQueue;
import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepFifo;
import dev.transload.kernels.StepOp;
import dev.transload.kernels.StepOutput;
import dev.transload.kernels.StepPeer;
import dev.transload.kernels.StepProgram;
import dev.transload.kernels.StepSession;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepStatus;
import dev.transload.spi.MemoryRegion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * A lane of steps, each of which is done by blocks that begin in order and of which few are resident at a time. Blocks
 * take turns by chance; the pieces of rows that a block stores arrive in any order until it fences.
 */
final class SteppingSession implements StepSession, StepQueue
{
    private static final int CAPACITY = 4;
    private static final int IDLE_STEPS = 64;

    final SteppingFabric fabric;
    final StepPeers peers;
    final StepCall call;
    final StepStores stores;
    private final StepShape shape;
    private final int residents;
    private final ArrayDeque<Submitted> queue = new ArrayDeque<>();
    private final List<StepBlock> blocks = new ArrayList<>();
    private StepRun run;
    private int begun;
    private long position;
    private long completed;
    private int idleSteps;

    private record Program(List<StepOp> ops, SteppingSession session) implements StepProgram
    {
    }

    private record Submitted(List<StepOp> ops, StepArguments arguments)
    {
    }

    SteppingSession(
        final SteppingFabric fabric, final StepShape shape, final List<StepPeer> given, final LongSupplier clock)
    {
        this.fabric = fabric;
        this.shape = shape;
        this.stores = new StepStores(fabric);
        this.peers = new StepPeers(fabric, shape, given, stores, clock);
        this.call = new StepCall(shape);
        this.residents = 1 + fabric.chance().below(shape.blocks());
    }

    @Override
    public StepProgram compile(final List<StepOp> ops)
    {
        if (!StepProgram.KNOWN.contains(ops) || ops.contains(StepOp.SEND_FAR))
        {
            throw new IllegalArgumentException("program " + ops + " is not known here");
        }

        return new Program(List.copyOf(ops), this);
    }

    @Override
    public void output(final int rank, final int number, final StepOutput output)
    {
        peers.outputs[rank][number] = output;
    }

    @Override
    public void answers(final int rank, final int number, final MemoryRegion answers)
    {
        peers.answers[rank][number] = answers;
    }

    @Override
    public long submit(final DeviceQueue given, final StepProgram program, final StepArguments arguments)
    {
        synchronized (fabric)
        {
            if (!(program instanceof final Program own) || own.session() != this)
            {
                throw new IllegalArgumentException("program " + program.ops() + " was not compiled by this session");
            }

            if (program.ops().contains(StepOp.REDUCE) || StepOp.BUCKET == program.ops().get(0))
            {
                arguments.check(shape, StepOp.BUCKET == program.ops().get(0));
            }

            if (CAPACITY == queue.size())
            {
                return BACK_PRESSURED;
            }

            queue.add(new Submitted(program.ops(), new StepArguments().set(arguments)));
            fabric.schedule().activate(this);
            return ++position;
        }
    }

    @Override
    public int progress()
    {
        return 0;
    }

    @Override
    public StepStatus status()
    {
        return peers.status;
    }

    @Override
    public void timeoutNs(final long ns)
    {
        peers.timeoutNs = ns;
    }

    @Override
    public void mask(final int rank)
    {
        peers.mask(rank, StepStatus.ASKED, StepOp.BUCKET);
    }

    @Override
    public void activate(final int rank, final StepPeer peer, final int generation)
    {
        peers.activate(rank, peer, generation);
    }

    @Override
    public StepFifo fifo()
    {
        return null;
    }

    @Override
    public long position()
    {
        return position;
    }

    @Override
    public long completedPosition()
    {
        return completed;
    }

    @Override
    public void close()
    {
        synchronized (fabric)
        {
            while (!isLeftAlone() && (!isEmpty() || !stores.isEmpty()))
            {
                if (!stores.isEmpty())
                {
                    stores.step();
                }
                else
                {
                    step();
                }
            }
        }
    }

    /** The fault, or another by which steps never end. */
    private boolean isLeftAlone()
    {
        return fabric.has(Fault.STP_9) || fabric.has(Fault.STP_7) || fabric.has(Fault.STP_8);
    }

    @Override
    public int rank()
    {
        return shape.ownRank();
    }

    @Override
    public boolean isEmpty()
    {
        return queue.isEmpty();
    }

    @Override
    public boolean isBlocked()
    {
        return idleSteps >= IDLE_STEPS;
    }

    @Override
    public void kill(final int killed)
    {
        if (killed == rank())
        {
            queue.clear();
            run = null;
        }
    }

    @Override
    public void step()
    {
        if (null == run)
        {
            begin();
        }

        peers.giveSigns();
        final boolean isMoved = beginBlock() || stepBlock();
        idleSteps = isMoved ? 0 : idleSteps + 1;
        if (begun == shape.blocks() && blocks.isEmpty() && stores.isEmpty())
        {
            end();
        }
    }

    private void begin()
    {
        run = new StepRun(queue.peek().ops(), queue.peek().arguments(), shape.blocks(), shape.ranks());
        begun = 0;
        peers.status.memory().putLong(StepStatus.BEGIN_NS, peers.clock.getAsLong());
        if (run.sums() >= 0)
        {
            peers.status.memory().putInt(StepStatus.LEFT_OUT, 0);
        }
    }

    /** In order, as far as there is room. */
    private boolean beginBlock()
    {
        if (begun == shape.blocks() || blocks.size() == residents || !blocks.isEmpty() && 0 != fabric.chance().below(2))
        {
            return false;
        }

        blocks.add(new StepBlock(this, run, begun));
        begun++;
        return true;
    }

    private boolean stepBlock()
    {
        if (blocks.isEmpty())
        {
            return false;
        }

        final StepBlock block = blocks.get(fabric.chance().below(blocks.size()));
        final boolean isMoved = block.step();
        if (block.isDone())
        {
            blocks.remove(block);
        }

        return isMoved;
    }

    private void end()
    {
        queue.remove();
        run = null;
        completed++;
        peers.status.memory().putLong(StepStatus.END_NS, peers.clock.getAsLong());
        peers.status.end(completed);
    }
}
