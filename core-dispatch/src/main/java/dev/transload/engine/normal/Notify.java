/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.connect.ArenaMap;
import dev.transload.engine.connect.Section;
import dev.transload.engine.connect.SignalMap;
import dev.transload.engine.connect.ThreadResources;
import dev.transload.engine.plan.ReceiveLayout;
import dev.transload.engine.plan.SendLayout;
import dev.transload.engine.ring.MetaTransfer;
import dev.transload.engine.wire.CountsMessage;
import dev.transload.engine.wire.EncodedWord;
import dev.transload.engine.wire.Wait;
import dev.transload.engine.world.Geometry;
import dev.transload.spi.SignalRegion;
import java.util.Arrays;

/**
 * Opens every call: exchanges its header, and for dispatches the counts, with the same-rail peers on all nodes and then
 * within the node, so that every rank knows how many rows it gets from whom. No barrier: two sets of messages alternate
 * by call, and a peer that is a call ahead has answered the one before.
 */
public final class Notify extends Role
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final SignalRegion outSignals;
    private final SignalRegion upSignals;
    private final MetaTransfer[] outTransfers;
    private final MetaTransfer[] upTransfers;
    private final boolean[] isOutSeen;
    private final boolean[] isUpSeen;
    private final PaddingFiller padding;
    private Call call;
    private SendLayout home;
    private ReceiveLayout experts;
    private boolean hasCounts;
    private boolean isUpSent;
    private boolean isConcluded;
    private boolean isPadded;

    /**
     * On the first thread.
     *
     * @param board        of the engine.
     * @param geometry     sizes.
     * @param map          memory.
     * @param thread       which runs it.
     * @param outSignals   own signals of the scale-out stage, null in a world of one node.
     * @param upSignals    own signals of the scale-up stage.
     * @param outTransfers to the same-rail peer on each node, null for the own one.
     * @param upTransfers  to each local rank, null for the own one.
     */
    public Notify(
        final Board board, final Geometry geometry, final ArenaMap map, final ThreadResources thread,
        final SignalRegion outSignals, final SignalRegion upSignals, final MetaTransfer[] outTransfers,
        final MetaTransfer[] upTransfers)
    {
        super(board, "notifier");
        this.geometry = geometry;
        this.map = map;
        this.outSignals = outSignals;
        this.upSignals = upSignals;
        this.outTransfers = outTransfers;
        this.upTransfers = upTransfers;
        this.isOutSeen = new boolean[geometry.nodes()];
        this.isUpSeen = new boolean[geometry.locals()];
        this.padding = new PaddingFiller(thread.kernels());
    }

    @Override
    protected boolean begin(final Call next)
    {
        call = next;
        home = call.routes().home();
        experts = call.routes().experts();
        hasCounts = Call.Kind.DISPATCH == call.kind();
        isUpSent = false;
        isConcluded = false;
        isPadded = false;
        Arrays.fill(isOutSeen, false);
        Arrays.fill(isUpSeen, false);
        CallHeaders.set(call, geometry);
        call.routes().number(hasCounts ? call.number() : call.routes().callNumber());
        if (hasCounts)
        {
            experts.begin(home.experts() / geometry.world().size(), home.topk());
        }
        else if (Call.Kind.CACHED_DISPATCH == call.kind())
        {
            ((DispatchCall)call).allocateOutput();
        }

        for (int node = 0; node < geometry.nodes(); node++)
        {
            sendOut(node);
        }

        isOutSeen[geometry.world().node()] = true;
        return true;
    }

    private void sendOut(final int node)
    {
        final long entry = (long)set() * geometry.nodes() + node;
        final Section section = map.notifyOutOut;
        final int at = section.index(entry);
        final int perNode = home.experts() / geometry.nodes();
        call.header().write(section.buffer(), at);
        if (hasCounts)
        {
            for (int local = 0; local < geometry.locals(); local++)
            {
                EncodedWord.put(section.buffer(), at + CountsMessage.rankCount(local),
                    home.rankStart(geometry.channels(), geometry.world().rankAt(node, local)));
            }

            for (int expert = 0; expert < perNode; expert++)
            {
                EncodedWord.put(section.buffer(), at + CountsMessage.expertCount(geometry, expert),
                    home.expertStart(geometry.channels(), node * perNode + expert));
            }

            EncodedWord.put(section.buffer(), at + CountsMessage.nodeCount(geometry, perNode),
                home.nodeStart(geometry.channels(), node));
        }

        if (node != geometry.world().node())
        {
            outTransfers[node].begin(entry, (long)set() * geometry.nodes() + geometry.world().node(),
                hasCounts ? CountsMessage.outBytes(geometry, perNode) : CountsMessage.rankCount(0));
        }
    }

    @Override
    public boolean isUrgent()
    {
        return true;
    }

    @Override
    protected int step()
    {
        int work = advance(outTransfers) + advance(upTransfers);
        if (!isUpSent && areOutSeen())
        {
            for (int local = 0; local < geometry.locals(); local++)
            {
                sendUp(local);
            }

            isUpSent = true;
            work++;
        }

        if (isUpSent && !isConcluded && areUpSeen())
        {
            conclude();
            work++;
        }

        if (isConcluded && call instanceof DispatchCall)
        {
            work += padding.step();
            if (!isPadded && padding.isComplete())
            {
                isPadded = true;
                call.topkWritten();
            }
        }

        return work;
    }

    private boolean areOutSeen()
    {
        boolean isAll = true;
        for (int node = 0; node < isOutSeen.length; node++)
        {
            if (!isOutSeen[node] && outSignals.getAcquire(SignalMap.notifyOut(node)) >= call.number())
            {
                compare(map.notifyOutIn, (long)set() * geometry.nodes() + node,
                    geometry.world().rankAt(node, geometry.world().local()));
                isOutSeen[node] = true;
            }

            isAll &= isOutSeen[node];
        }

        return isAll;
    }

    private boolean areUpSeen()
    {
        boolean isAll = true;
        for (int local = 0; local < isUpSeen.length; local++)
        {
            if (!isUpSeen[local] && upSignals.getAcquire(SignalMap.notifyUp(local)) >= call.number())
            {
                final long entry = (long)set() * geometry.locals() + local;
                compare(map.notifyUpIn, entry, geometry.world().rankAt(geometry.world().node(), local));
                readCounts(local, map.notifyUpIn, entry);
                isUpSeen[local] = true;
            }

            isAll &= isUpSeen[local];
        }

        return isAll;
    }

    private void compare(final Section section, final long entry, final int rank)
    {
        final String difference = call.header().difference(section.buffer(), section.index(entry));
        if (null != difference)
        {
            throw call.mismatch(geometry.world().rank(), rank, difference);
        }
    }

    private void sendUp(final int local)
    {
        final long entry = (long)set() * geometry.locals() + local;
        final Section section = map.notifyUpOut;
        final int at = section.index(entry);
        final int localExperts = home.experts() / geometry.world().size();
        call.header().write(section.buffer(), at);
        if (hasCounts)
        {
            for (int node = 0; node < geometry.nodes(); node++)
            {
                putCounts(section, at, node, local, localExperts);
            }
        }

        if (local == geometry.world().local())
        {
            readCounts(local, section, entry);
            isUpSeen[local] = true;
        }
        else
        {
            upTransfers[local].begin(entry, (long)set() * geometry.locals() + geometry.world().local(),
                hasCounts ? CountsMessage.upBytes(geometry, localExperts) : CountsMessage.rankCountUp(0));
        }
    }

    private void putCounts(
        final Section section, final int at, final int node, final int local, final int localExperts)
    {
        final boolean isOwn = node == geometry.world().node();
        final Section source = isOwn ? map.notifyOutOut : map.notifyOutIn;
        final int from = source.index((long)set() * geometry.nodes() + node);
        EncodedWord.put(section.buffer(), at + CountsMessage.rankCountUp(node),
            EncodedWord.get(source.buffer(), from + CountsMessage.rankCount(local)));
        for (int expert = 0; expert < localExperts; expert++)
        {
            EncodedWord.put(section.buffer(), at + CountsMessage.expertCountUp(geometry, localExperts, node, expert),
                EncodedWord.get(source.buffer(),
                from + CountsMessage.expertCount(geometry, local * localExperts + expert)));
        }
    }

    private void readCounts(final int local, final Section section, final long entry)
    {
        if (!hasCounts)
        {
            return;
        }

        final int at = section.index(entry);
        final int localExperts = experts.localExperts();
        for (int node = 0; node < geometry.nodes(); node++)
        {
            final int rank = geometry.world().rankAt(node, local);
            experts.rankCount(rank, EncodedWord.get(section.buffer(), at + CountsMessage.rankCountUp(node)));
            for (int expert = 0; expert < localExperts; expert++)
            {
                experts.expertCount(rank, expert, EncodedWord.get(section.buffer(),
                    at + CountsMessage.expertCountUp(geometry, localExperts, node, expert)));
            }
        }
    }

    private void conclude()
    {
        isConcluded = true;
        if (hasCounts)
        {
            experts.conclude(call.routes().alignment(), call.routes().isExpanded());
            ((DispatchCall)call).allocateOutput();
        }

        if (call instanceof DispatchCall)
        {
            padding.begin((DispatchCall)call);
        }

        clear(map.notifyOutIn, geometry.nodes());
        clear(map.notifyUpIn, geometry.locals());
    }

    private void clear(final Section section, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            EncodedWord.clear(
                section.buffer(), section.index((long)set() * count + i), Math.toIntExact(section.stride()));
        }
    }

    @Override
    protected boolean isComplete()
    {
        return isConcluded && padding.isComplete() && areReleased(outTransfers) && areReleased(upTransfers);
    }

    @Override
    public boolean awaits(final Wait wait)
    {
        for (int node = 0; node < isOutSeen.length; node++)
        {
            if (!isOutSeen[node])
            {
                return wait.set(geometry.world().rankAt(node, geometry.world().local()), -1,
                    WaitCounter.SCALE_OUT_NOTIFY, call.number(), outSignals.getAcquire(SignalMap.notifyOut(node)));
            }
        }

        for (int local = 0; local < isUpSeen.length; local++)
        {
            if (isUpSent && !isUpSeen[local])
            {
                return wait.set(geometry.world().rankAt(geometry.world().node(), local), -1,
                    WaitCounter.SCALE_UP_NOTIFY, call.number(), upSignals.getAcquire(SignalMap.notifyUp(local)));
            }
        }

        return MetaTransfer.awaitsAny(outTransfers, wait) || MetaTransfer.awaitsAny(upTransfers, wait);
    }

    private int set()
    {
        return (int)(call.number() % ArenaMap.SETS);
    }

    private static int advance(final MetaTransfer[] transfers)
    {
        int work = 0;
        for (final MetaTransfer transfer : transfers)
        {
            work += null == transfer ? 0 : transfer.advance();
        }

        return work;
    }

    private static boolean areReleased(final MetaTransfer[] transfers)
    {
        for (final MetaTransfer transfer : transfers)
        {
            if (null != transfer && !transfer.isReleased())
            {
                return false;
            }
        }

        return true;
    }
}
