/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Worker;
import java.util.Arrays;

/**
 * Packs the rows that came to each local expert, sources ascending and tokens ascending within a source, so that order
 * never depends on timing. A source is listed as soon as its messages and those of all before it are there, or these
 * are masked, and copied as soon as its rows are there. A source whose channels do not all tell of its rows in time
 * counts as one that sent none: where it was listed already, all is listed and copied anew.
 */
final class DispatchReceiver
{
    /** Rows and scales. */
    private static final int PARTS_OF_RUN = 2;

    private final int ownRank;
    private final Slots slots;
    private final PeerLink[] links;
    private final LowLatencyMemory memory;
    private final RowKernels kernels;
    private final Worker[] workers;
    private final CallCounters figures;
    private final Arrivals arrivals;
    private final BufferSet set;
    private final PackingList list;
    private final ScaleWriter scaleWriter = new ScaleWriter();
    private final RowCopies copies = new RowCopies();
    private final GatedPacking gated;
    private final boolean[] isListed;
    private final boolean[] isCopied;
    /** By source: whether its rows are submitted; it is copied when their scales are there, too. */
    private final boolean[] hasRows;
    private boolean isReceiving;
    private boolean isCounted;
    private boolean isDone;

    DispatchReceiver(
        final int ownRank, final Slots slots, final PeerLink[] links, final Arrivals arrivals,
        final LowLatencyMemory memory, final RowKernels kernels, final Worker[] workers, final CallCounters figures,
        final BufferSet set)
    {
        this.ownRank = ownRank;
        this.slots = slots;
        this.links = links;
        this.memory = memory;
        this.kernels = kernels;
        this.workers = workers;
        this.figures = figures;
        this.arrivals = arrivals;
        this.set = set;
        this.list = new PackingList(ownRank, slots, links, memory, kernels, set);
        this.gated = new GatedPacking(slots.ranks(), kernels);
        this.isListed = new boolean[slots.ranks()];
        this.isCopied = new boolean[slots.ranks()];
        this.hasRows = new boolean[slots.ranks()];
    }

    /** A dispatch is being sent: what peers announce may be listed. */
    void prepare()
    {
        if (isScaledHere())
        {
            scaleWriter.begin(set.request.output(), set.hidden, slots.expertRows());
        }

        isReceiving = false;
        isCounted = false;
        isDone = false;
        gated.begin(set.request.isAtOnce() && !isScaledHere() && isStoredByPeers(), set.isFp8 ? PARTS_OF_RUN : 1);
        beginList();
    }

    /**
     * Whether there are peers, all within reach of this rank's kernels, and it within theirs: what their kernels store
     * is seen by copies that wait already, and no channel waits behind such a copy with rows that it puts.
     */
    private boolean isStoredByPeers()
    {
        int peers = 0;
        int stored = 0;
        for (int rank = 0; rank < slots.ranks(); rank++)
        {
            if (set.lanes.isAddressed(rank))
            {
                peers++;
                stored += set.lanes.lane(rank, 0).isStored() ? 1 : 0;
            }
        }

        return peers > 0 && peers == stored;
    }

    private void beginList()
    {
        list.begin();
        Arrays.fill(isListed, false);
        Arrays.fill(isCopied, false);
        Arrays.fill(hasRows, false);
    }

    /** While the dispatch is still being sent: list what is announced, and copy rows of the own rank. */
    int listAhead()
    {
        return list() + copy();
    }

    /** Begin to receive a dispatch that was sent. */
    void begin(final long nowNs)
    {
        isReceiving = true;
        arrivals.begin(set, Slots.DISPATCHED, nowNs);
    }

    int doWork(final long nowNs)
    {
        int work = arrivals.doWork(nowNs);
        if (isAnyLost())
        {
            // Lists must stay as they are until what was submitted with them is done.
            gated.leave();
            if (kernels.completedPosition() < kernels.position())
            {
                return work;
            }

            gated.end();
            beginList();
        }

        work += list() + copy();
        // While it may still end without some of them, nothing is known to be copied.
        if (list.isComplete() && isAllCopied() && !gated.isInUse())
        {
            work += finish(nowNs);
        }

        return work;
    }

    /** Whether a source was listed that will never come. */
    private boolean isAnyLost()
    {
        boolean isAnyLost = false;
        for (int source = 0; source < list.sources(); source++)
        {
            isAnyLost |= isListed[source] && isLost(source);
        }

        return isAnyLost;
    }

    private boolean isLost(final int source)
    {
        return source != ownRank &&
            (isReceiving ? !arrivals.isAwaited(source) && !arrivals.hasCome(source) : !set.lanes.isAddressed(source));
    }

    private boolean isAllCopied()
    {
        boolean isAllCopied = true;
        for (int source = 0; source < slots.ranks(); source++)
        {
            isAllCopied &= !isListed[source] || isCopied[source];
        }

        return isAllCopied;
    }

    /** Go on with the list as far as sources are announced. */
    private int list()
    {
        int work = 0;
        while (!list.isComplete() && listNext(list.sources()))
        {
            work++;
        }

        return work;
    }

    private boolean listNext(final int source)
    {
        if (isLost(source))
        {
            list.skip();
            return true;
        }

        if (!hasCome(source) &&
            !links[source].isSignalled(Slots.ANNOUNCED, set.index, links[source].uses(set.index)))
        {
            return false;
        }

        // Ranks that do not agree learn of it when the rows have come: the other one, too, has sent to the end then.
        if (!hasCome(source) && !list.isAgreed())
        {
            return false;
        }

        list.requireAgreed();
        list.list();
        isListed[source] = true;
        return true;
    }

    /** Copy what has come; 0 where nothing has, or where it was refused. */
    private int copy()
    {
        return gated.isInUse() ? copyGated() : copyArrived();
    }

    /** Submit all as soon as all is listed, and open what has come. */
    private int copyGated()
    {
        if (!gated.isSubmitted() && !(list.isComplete() && submitGated()))
        {
            return 0;
        }

        int work = 0;
        for (int source = 0; source < slots.ranks(); source++)
        {
            if (isNext(source))
            {
                acquire(source);
                gated.arrived(source);
                hasRows[source] = true;
                isCopied[source] = true;
                work++;
            }
        }

        gated.openArrived();
        return gated.hasEnded() ? work + endGated() : work;
    }

    private boolean submitGated()
    {
        for (int source = 0; source < slots.ranks(); source++)
        {
            if (isListed[source])
            {
                add(gated.partsOf(source), source, source + 1);
                gated.endOf(source);
            }
        }

        return gated.submit();
    }

    /** What came too late for it is packed by itself. */
    private int endGated()
    {
        for (int source = 0; source < slots.ranks(); source++)
        {
            if (isListed[source] && !gated.hasCopied(source))
            {
                hasRows[source] = false;
                isCopied[source] = false;
            }
        }

        gated.end();
        return 1;
    }

    /** Submit what has come, by one operation; 0 where nothing has, or where it was refused. */
    private int copyArrived()
    {
        copies.clear();
        int end = 0;
        for (int source = 0; source < list.sources() && copies.hasRoom(PARTS_OF_RUN); source = end)
        {
            end = endOfRun(source);
            if (isNext(source))
            {
                acquire(source);
                add(copies, source, end);
            }
        }

        if (copies.parts() > 0 && kernels.copyRows(copies) < 0)
        {
            return 0;
        }

        int work = 0;
        for (int source = 0; source < end; source++)
        {
            if (isNext(source))
            {
                hasRows[source] = true;
                isCopied[source] = !isScaledHere();
                work++;
            }
        }

        return work + writeScales();
    }

    private boolean isNext(final int source)
    {
        return isListed[source] && !hasRows[source] && hasCome(source);
    }

    private boolean hasCome(final int source)
    {
        return source == ownRank || isReceiving && arrivals.hasCome(source);
    }

    /** Behind the sources after this one that are as far and lie in the same memory. */
    private int endOfRun(final int source)
    {
        int end = source + 1;
        while (isNext(source) && end < list.sources() && isNext(end) && region(end) == region(source))
        {
            end++;
        }

        return end;
    }

    private void acquire(final int source)
    {
        if (source != ownRank)
        {
            workers[links[source].inStage().ordinal()].acquire(region(source));
        }
    }

    /** Rows and scales of the sources from one on that lie in the same memory. */
    private void add(final RowCopies target, final int source, final int end)
    {
        final MemoryRegion from = region(source);
        final LowLatencyOutput output = set.request.output();
        final int first = list.firstEntry(source);
        final int entries = list.firstEntry(end) - first;
        if (entries > 0)
        {
            target.add(from, output.x().memory().scaleUpRegion(), list.rows(), first, entries);
        }

        if (entries > 0 && set.isFp8 && !isScaledHere())
        {
            target.add(from, output.xScales().memory().scaleUpRegion(), list.scaleRows(), first, entries);
        }
    }

    private MemoryRegion region(final int source)
    {
        return source != ownRank ? memory.payload(links[source].inStage()) :
            (set.isFp8 ? memory.sendRows() : set.request.x().memory()).scaleUpRegion();
    }

    /** Whether scales change their layout, which the CPU does once the rows are copied. */
    private boolean isScaledHere()
    {
        return set.isFp8 && ScaleLayout.ROWS != set.request.output().scaleLayout();
    }

    private int writeScales()
    {
        // The own rank's may still be made.
        final boolean isMade = isScaledHere() && kernels.completedPosition() >= kernels.position();
        int work = 0;
        for (int source = 0; source < list.sources() && isMade; source++)
        {
            if (hasRows[source] && !isCopied[source])
            {
                writeScales(source);
                isCopied[source] = true;
                work++;
            }
        }

        return work;
    }

    private void writeScales(final int source)
    {
        final LowLatencyOutput output = set.request.output();
        final long from = region(source).address() + set.hidden;
        for (int entry = list.firstEntry(source); entry < list.firstEntry(source + 1); entry++)
        {
            final int row = (int)((list.rows().dstOffset(entry) - output.x().offset()) / output.x().rowBytes());
            scaleWriter.write(
                from + list.rows().srcOffset(entry), row / slots.expertRows(), row % slots.expertRows());
        }
    }

    private int finish(final long nowNs)
    {
        if (!isCounted)
        {
            isCounted = true;
            list.writeCounts(figures);
            for (int source = 0; source < slots.ranks(); source++)
            {
                set.isReceived[source] = source != ownRank && arrivals.hasCome(source);
            }
        }

        if (kernels.completedPosition() < kernels.position() || !set.lanes.isReleased(nowNs))
        {
            return 0;
        }

        isDone = true;
        return 1;
    }

    boolean isDone()
    {
        return isDone;
    }
}
