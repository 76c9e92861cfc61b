/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.normal;

import dev.transload.engine.WaitCounter;
import dev.transload.engine.internal.connect.ArenaMap;
import dev.transload.engine.internal.connect.Section;
import dev.transload.engine.internal.connect.SignalMap;
import dev.transload.engine.internal.connect.ThreadResources;
import dev.transload.engine.internal.plan.ReceiveLayout;
import dev.transload.engine.internal.plan.SendLayout;
import dev.transload.engine.internal.ring.MetaTransfer;
import dev.transload.engine.internal.wire.CallHeader;
import dev.transload.engine.internal.wire.CountsMessage;
import dev.transload.engine.internal.wire.EncodedWord;
import dev.transload.engine.internal.wire.Wait;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.spi.SignalRegion;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Opens every call: exchanges its header, and for dispatches the counts, with a rank of each node and then
 * within the node, so that every rank knows how many rows it gets from whom.
 * <p>
 * No barrier: two sets of message buffers alternate by call. To finish call n + 1, a rank needs a message of that call
 * from every rank of its node. Together these need a message of that call from every rank of the other nodes. A rank
 * begins call n + 1 only after it has finished call n. So all ranks have finished call n before any rank writes
 * messages of call n + 2.
 */
public final class Notify extends Role<Call>
{
    private final Geometry geometry;
    private final ArenaMap map;
    private final SignalRegion outSignals;
    private final SignalRegion upSignals;
    private final MetaTransfer[] outTransfers;
    private final MetaTransfer[] upTransfers;
    private final int[] heard;
    private final boolean[] isOutSeen;
    private final boolean[] isUpSeen;
    private final PaddingFiller padding;
    private Call call;
    private SendLayout sendLayout;
    private ReceiveLayout receiveLayout;
    private boolean hasCounts;
    private boolean isUpSent;
    private boolean isConcluded;
    private boolean isPadded;

    /**
     * On the first thread.
     *
     * @param outSignals   own signals of the scale-out stage, null in a world of one node.
     * @param upSignals    own signals of the scale-up stage.
     * @param outTransfers to a rank of each node, null for the own one.
     * @param upTransfers  to each local rank, null for the own one.
     */
    public Notify(
        final Geometry geometry, final ArenaMap map, final ThreadResources thread,
        final SignalRegion outSignals, final SignalRegion upSignals, final MetaTransfer[] outTransfers,
        final MetaTransfer[] upTransfers)
    {
        super(Call.class, "notifier");
        this.geometry = geometry;
        this.map = map;
        this.outSignals = outSignals;
        this.upSignals = upSignals;
        this.outTransfers = outTransfers;
        this.upTransfers = upTransfers;
        this.heard = geometry.relays().counted(geometry.world().local());
        this.isOutSeen = new boolean[heard.length];
        this.isUpSeen = new boolean[geometry.locals()];
        this.padding = new PaddingFiller(thread.kernels());
    }

    @Override
    protected boolean begin(final Call next)
    {
        call = next;
        sendLayout = call.plan().sendLayout();
        receiveLayout = call.plan().receiveLayout();
        hasCounts = Call.Kind.DISPATCH == call.kind();
        isUpSent = false;
        isConcluded = false;
        isPadded = false;
        Arrays.fill(isOutSeen, false);
        CallHeaders.set(call, geometry);
        call.plan().number(hasCounts ? call.number() : call.plan().callNumber());
        if (hasCounts)
        {
            receiveLayout.begin(sendLayout.experts() / geometry.world().size(), sendLayout.topk());
        }
        else if (Call.Kind.CACHED_DISPATCH == call.kind())
        {
            ((DispatchCall)call).allocateOutput();
        }

        for (int node = 0; node < geometry.nodes(); node++)
        {
            if (geometry.world().hasRanks(node))
            {
                sendOut(node);
            }
        }

        for (int local = 0; local < isUpSeen.length; local++)
        {
            isUpSeen[local] = geometry.isAbsent(local);
        }

        for (int i = 0; i < heard.length; i++)
        {
            isOutSeen[i] = heard[i] == geometry.world().rank();
        }

        return true;
    }

    private void sendOut(final int node)
    {
        final long entry = (long)set() * geometry.nodes() + node;
        final Section section = map.notifyOutOut;
        final int at = section.index(entry);
        final int perNode = sendLayout.experts() / geometry.world().size() * geometry.world().ranksOf(node);
        call.header().write(section.buffer(), at);
        if (hasCounts)
        {
            writeCounts(section.buffer(), at, node, perNode);
        }

        if (node != geometry.world().node())
        {
            outTransfers[node].begin(entry, (long)set() * geometry.world().size() + geometry.world().rank(),
                hasCounts ? CountsMessage.outBytes(geometry, perNode) : CallHeader.BYTES);
        }
    }

    private void writeCounts(final UnsafeBuffer buffer, final int at, final int node, final int nodeExperts)
    {
        final int first = geometry.world().first(node);
        for (int channel = 0; channel < geometry.channels(); channel++)
        {
            EncodedWord.put(buffer, at + CountsMessage.streamRows(geometry, channel),
                sendLayout.rowsToNode(channel, node));
            for (int local = 0, ranks = geometry.world().ranksOf(node); local < ranks; local++)
            {
                EncodedWord.put(buffer, at + CountsMessage.rankRows(geometry, channel, local),
                    sendLayout.rowsToRank(channel, first + local));
            }
        }

        final int firstExpert = first * (sendLayout.experts() / geometry.world().size());
        for (int expert = 0; expert < nodeExperts; expert++)
        {
            EncodedWord.put(buffer, at + CountsMessage.expertRows(geometry, expert),
                sendLayout.expertStart(geometry.channels(), firstExpert + expert));
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
        int work = MetaTransfer.advance(outTransfers) + MetaTransfer.advance(upTransfers);
        if (!isUpSent && areOutSeen())
        {
            for (int local = 0; local < geometry.locals(); local++)
            {
                if (!geometry.isAbsent(local))
                {
                    sendUp(local);
                }
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
        for (int i = 0; i < heard.length; i++)
        {
            if (!isOutSeen[i] && outSignals.getAcquire(SignalMap.notifyOut(heard[i])) >= call.number())
            {
                compare(map.notifyOutIn, (long)set() * geometry.world().size() + heard[i], heard[i]);
                isOutSeen[i] = true;
            }

            isAll &= isOutSeen[i];
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
                final long entry = geometry.clearToSend(set(), local);
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
        final long entry = geometry.clearToSend(set(), local);
        final Section section = map.notifyUpOut;
        final int at = section.index(entry);
        final int localExperts = sendLayout.experts() / geometry.world().size();
        call.header().write(section.buffer(), at);
        for (int i = 0; hasCounts && i < heard.length; i++)
        {
            putCounts(section, at, i, local, localExperts);
        }

        if (local == geometry.world().local())
        {
            readCounts(local, section, entry);
            isUpSeen[local] = true;
        }
        else
        {
            upTransfers[local].begin(entry, geometry.clearToSend(set(), geometry.world().local()),
                hasCounts ? CountsMessage.upBytes(geometry, heard.length, localExperts) : CallHeader.BYTES);
        }
    }

    private void putCounts(
        final Section section, final int to, final int index, final int local, final int localExperts)
    {
        final boolean isOwn = heard[index] == geometry.world().rank();
        final Section source = isOwn ? map.notifyOutOut : map.notifyOutIn;
        final int from = source.index(isOwn ? (long)set() * geometry.nodes() + geometry.world().node() :
            (long)set() * geometry.world().size() + heard[index]);
        final int at = to + CountsMessage.source(geometry, localExperts, index);
        for (int channel = 0; channel < geometry.channels(); channel++)
        {
            copy(source, from + CountsMessage.streamRows(geometry, channel), section, at + 2 * channel * Integer.BYTES);
            copy(source, from + CountsMessage.rankRows(geometry, channel, local), section,
                at + (2 * channel + 1) * Integer.BYTES);
        }

        for (int expert = 0; expert < localExperts; expert++)
        {
            copy(source, from + CountsMessage.expertRows(geometry, local * localExperts + expert), section,
                at + CountsMessage.expertOfSource(geometry, expert));
        }
    }

    private static void copy(final Section from, final int fromAt, final Section to, final int toAt)
    {
        EncodedWord.put(to.buffer(), toAt, EncodedWord.get(from.buffer(), fromAt));
    }

    private void readCounts(final int local, final Section section, final long entry)
    {
        final int[] sources = geometry.relays().counted(local);
        final int localExperts = receiveLayout.localExperts();
        for (int i = 0; hasCounts && i < sources.length; i++)
        {
            final int at = section.index(entry) + CountsMessage.source(geometry, localExperts, i);
            for (int channel = 0; channel < geometry.channels(); channel++)
            {
                receiveLayout.streamCount(channel, sources[i],
                    EncodedWord.get(section.buffer(), at + 2 * channel * Integer.BYTES),
                    EncodedWord.get(section.buffer(), at + (2 * channel + 1) * Integer.BYTES));
            }

            for (int expert = 0; expert < localExperts; expert++)
            {
                receiveLayout.expertCount(sources[i], expert,
                    EncodedWord.get(section.buffer(), at + CountsMessage.expertOfSource(geometry, expert)));
            }
        }
    }

    private void conclude()
    {
        isConcluded = true;
        if (hasCounts)
        {
            receiveLayout.conclude(call.plan().alignment(), call.plan().isExpanded());
            ((DispatchCall)call).allocateOutput();
        }

        if (call instanceof DispatchCall)
        {
            padding.begin((DispatchCall)call);
        }

        clear(map.notifyOutIn, geometry.nodes() > 1 ? geometry.world().size() : 0);
        clear(map.notifyUpIn, geometry.mostLocals());
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
    public boolean isWaiting(final Wait wait)
    {
        for (int i = 0; i < heard.length; i++)
        {
            if (!isOutSeen[i])
            {
                return wait.set(heard[i], -1, WaitCounter.SCALE_OUT_NOTIFY, call.number(),
                    outSignals.getAcquire(SignalMap.notifyOut(heard[i])));
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

        return MetaTransfer.isAnyWaiting(outTransfers, wait) || MetaTransfer.isAnyWaiting(upTransfers, wait);
    }

    private int set()
    {
        return (int)(call.number() % ArenaMap.SETS);
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
