/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.StepArguments;
import dev.transload.kernels.StepOp;
import dev.transload.kernels.StepOutput;
import dev.transload.kernels.StepPlacement;
import dev.transload.kernels.StepScales;
import dev.transload.kernels.StepShape;
import dev.transload.kernels.StepSlots;
import dev.transload.kernels.StepStatus;
import dev.transload.kernels.StepWords;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * One block of a step: groups of events, one group after the other, the events of a group in any order. Pieces of rows
 * that it has stored arrive at any time until its next fence.
 */
final class StepBlock
{
    private static final int ROW_MASK = (1 << StepShape.ROW_BITS) - 1;
    private static final int SLOT_MASK = (1 << StepSlots.EXPERT_SHIFT) - 1;
    private static final int COUNT_MASK = (1 << StepWords.COUNT_BITS) - 1;
    private static final int MAX_PIECES = 3;
    private static final int EXPONENT_SHIFT = 23;
    private static final int EXPONENT_MASK = 0xFF;

    private final SteppingSession session;
    private final SteppingFabric fabric;
    private final StepPeers peers;
    private final StepCall call;
    private final StepSlots slots;
    private final StepRun run;
    private final int block;
    private final ArrayDeque<Supplier<List<Event>>> groups = new ArrayDeque<>();
    private final List<Event> events = new ArrayList<>();
    /** Pieces of rows on their way; the lease is looked at with the store. */
    private final List<Event> pieces = new ArrayList<>();
    private long waitBeganNs;

    /** Something that is done at once, or must wait. */
    private interface Event
    {
        /** Returns true when it is done. */
        boolean isDone();
    }

    StepBlock(final SteppingSession session, final StepRun run, final int block)
    {
        this.session = session;
        this.fabric = session.fabric;
        this.peers = session.peers;
        this.call = session.call;
        this.slots = new StepSlots(call.shape);
        this.run = run;
        this.block = block;
        for (int i = 0; i < run.ops.size(); i++)
        {
            add(run.ops.get(i), i);
        }
    }

    boolean isDone()
    {
        return groups.isEmpty() && events.isEmpty() && pieces.isEmpty();
    }

    /** One event, if one can be done; returns whether one was. */
    boolean step()
    {
        if (!pieces.isEmpty() && (0 == fabric.chance().below(2) || events.isEmpty() && groups.isEmpty()))
        {
            return pieces.remove(fabric.chance().below(pieces.size())).isDone();
        }

        if (events.isEmpty() && !groups.isEmpty())
        {
            events.addAll(groups.remove().get());
            return true;
        }

        if (events.isEmpty())
        {
            return false;
        }

        final Event event = events.get(fabric.chance().below(events.size()));
        if (event.isDone())
        {
            events.remove(event);
            return true;
        }

        return false;
    }

    private void add(final StepOp op, final int index)
    {
        final int sums = run.sums();
        final boolean isAhead = index < sums;
        switch (op)
        {
            case BUCKET -> groups.add(() -> one(this::bucket));
            case COUNTS -> groups.add(() -> 0 == block ? counts() : List.of());
            case STARTS ->
            {
                groups.add(() -> 0 == block ? countsOfAll() : List.of());
                groups.add(() -> 0 == block ? one(this::order) : List.of());
                groups.add(() -> 0 == block ? starts() : one(() -> run.isStarted));
            }
            case PLACE -> groups.add(() ->
            {
                waitBegins();
                return place(block);
            });
            case TELL ->
            {
                groups.add(() -> one(() -> isFenced() || fabric.has(Fault.STP_3)));
                groups.add(() -> sums < 0 ? done(index) : isAhead ? ready() : read());
            }
            case AWAIT -> groups.add(() -> isAhead ? awaitReady() : awaitAll(index, sums < 0));
            case PACK ->
            {
                groups.add(() -> run.lastBlock == block ? one(this::orderForSlots) : List.of());
                groups.add(() -> run.lastBlock == block ? starts() : List.of());
                groups.add(() -> run.lastBlock == block ? pack() : List.of());
                groups.add(() -> one(pieces::isEmpty));
            }
            case REDUCE -> groups.add(() -> reduce(block));
            default -> throw new IllegalStateException("no " + op + " here");
        }
    }

    /** Whether all has arrived that this block has stored; block 0 alone has stored words so far. */
    private boolean isFenced()
    {
        return pieces.isEmpty() && (0 != block || session.stores.isEmpty());
    }

    private static List<Event> one(final Event event)
    {
        return List.of(event);
    }

    private int ranks()
    {
        return call.shape.ranks();
    }

    private int own()
    {
        return peers.own();
    }

    private void waitBegins()
    {
        waitBeganNs = peers.clock.getAsLong();
        for (int rank = 0; rank < ranks(); rank++)
        {
            if (peers.isActive(rank))
            {
                peers.beginSilence(rank);
            }
        }
    }

    private boolean bucket()
    {
        if (!run.isBucketed)
        {
            run.isBucketed = true;
            peers.status.memory().putInt(StepStatus.BAD_IDS, call.begin(run.arguments, fabric));
            peers.status.memory().putLong(StepStatus.CALL, call.number);
        }

        return true;
    }

    private List<Event> counts()
    {
        peers.beginLeases();
        final List<Event> stores = new ArrayList<>();
        for (int rank = 0; rank < ranks(); rank++)
        {
            for (int i = 0; i < call.shape.localExperts() && peers.isActive(rank); i++)
            {
                final int owner = rank;
                final int local = i;
                stores.add(() -> tell(owner, peers.words.counts(call.number, own(), local), StepWords.countValue(
                    local < call.localExperts ? call.count[owner * call.localExperts + local] : 0, call.check)));
            }
        }

        return stores;
    }

    private boolean tell(final int rank, final long offset, final int value)
    {
        peers.tell(rank, offset, call.number, value);
        return true;
    }

    private List<Event> countsOfAll()
    {
        waitBegins();
        run.arrivals.clear();
        final List<Event> waits = new ArrayList<>();
        for (int rank = 0; rank < ranks(); rank++)
        {
            final int source = rank;
            waits.add(() -> !peers.isActive(source) || hasCounts(source) ||
                peers.isLost(source, waitBeganNs, StepOp.STARTS));
        }

        return waits;
    }

    private boolean hasCounts(final int source)
    {
        final int most = call.shape.localExperts();
        for (int local = 0; local < most; local++)
        {
            final long word = peers.read(peers.words.counts(call.number, source, local));
            if (!peers.hasCome(source, word, call.number))
            {
                return false;
            }

            call.counts[source * most + local] = StepWords.value(word) & COUNT_MASK;
            if (StepWords.value(word) >>> StepWords.COUNT_BITS != call.check)
            {
                peers.mask(source, StepStatus.OTHER_CALL, StepOp.STARTS);
                return true;
            }
        }

        run.arrivals.add(source);
        return true;
    }

    private boolean order()
    {
        if (peers.isGrantOpen())
        {
            return false;
        }

        writeOrder();
        return true;
    }

    private boolean orderForSlots()
    {
        run.arrivals.clear();
        for (int source = 0; source < ranks(); source++)
        {
            if (peers.isActive(source) && !hasCounts(source))
            {
                throw new IllegalStateException("rank " + source + " told of rows, but not how many");
            }
        }

        writeOrder();
        return true;
    }

    private void writeOrder()
    {
        final int most = call.shape.localExperts();
        final StepOutput output = output();
        final ByteBuffer ranges = buffer(call.localExperts * ranks() * Long.BYTES);
        final ByteBuffer totals = buffer(call.localExperts * Integer.BYTES);
        final List<Integer> sources = new ArrayList<>();
        for (int source = 0; source < ranks(); source++)
        {
            sources.add(source);
        }

        if (fabric.has(Fault.STP_4))
        {
            sources.removeAll(run.arrivals);
            sources.addAll(0, run.arrivals);
        }

        for (int local = 0; local < call.localExperts; local++)
        {
            int row = 0;
            for (final int source : sources)
            {
                final int count = peers.isActive(source) ? call.counts[source * most + local] : 0;
                call.starts[source * most + local] = row;
                ranges.putLong((local * ranks() + source) * Long.BYTES, (long)row << Integer.SIZE | count);
                row += count;
            }

            totals.putInt(local * Integer.BYTES, row);
        }

        write(output.info(), StepOutput.layoutRangeOffset(call.places()), ranges.array());
        write(output.info(), StepOutput.countOffset(call.places(), call.localExperts * ranks()), totals.array());
    }

    private StepOutput output()
    {
        return peers.outputs[own()][run.arguments.output()];
    }

    private static ByteBuffer buffer(final int bytes)
    {
        return ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
    }

    private static void write(final MemoryRegion region, final long offset, final byte[] bytes)
    {
        RowAccess.write(region, offset, bytes);
    }

    private List<Event> starts()
    {
        final int most = call.shape.localExperts();
        final List<Event> stores = new ArrayList<>();
        for (int rank = 0; rank < ranks(); rank++)
        {
            for (int i = 0; i < most && peers.isActive(rank); i++)
            {
                final int source = rank;
                final int local = i;
                final int row = local < call.localExperts ? call.starts[source * most + local] : 0;
                stores.add(() ->
                {
                    if (StepPlacement.DIRECT == call.placement)
                    {
                        peers.grant(source);
                    }

                    return tell(source, peers.words.starts(call.number, own(), local),
                        StepWords.startValue(row, run.arguments.output()));
                });
            }
        }

        run.isStarted = stores.isEmpty();
        final int[] left = {stores.size()};
        final List<Event> counted = new ArrayList<>();
        stores.forEach((store) -> counted.add(() ->
        {
            left[0]--;
            run.isStarted = 0 == left[0];
            return store.isDone();
        }));
        return counted;
    }

    /** Selections of one token; those of the block's next one come behind. */
    private List<Event> place(final int token)
    {
        if (token >= call.tokens)
        {
            return List.of();
        }

        groups.addFirst(() -> place(token + run.blocks));
        final byte[] scaled = new byte[call.isFp8 ? call.hidden / 128 * Float.BYTES : 0];
        final byte[] row = row(token, scaled);
        final List<Event> selections = new ArrayList<>();
        for (int i = token * call.topk; i < (token + 1) * call.topk; i++)
        {
            final int at = i;
            final int owner = call.owner(at);
            if (owner >= 0 && StepPlacement.DIRECT == call.placement)
            {
                selections.add(() -> isPlaced(at, token, row, scaled));
            }
            else if (owner >= 0 && isFirstOf(owner, token * call.topk, at))
            {
                selections.add(() -> isInSlot(owner, token, row, scaled));
            }
        }

        return selections;
    }

    private byte[] row(final int token, final byte[] scaled)
    {
        final ByteBuffer x = StepCall.read(fabric, run.arguments.region(StepArguments.X),
            run.arguments.offset(StepArguments.X) + 2L * token * call.hidden, 2 * call.hidden);
        if (!call.isFp8)
        {
            return x.array();
        }

        final ByteBuffer cast = buffer(call.hidden);
        final ByteBuffer scales = ByteBuffer.wrap(scaled).order(ByteOrder.nativeOrder());
        Bits.quantize(x, cast, scales, call.hidden, run.arguments.format(), true);
        return cast.array();
    }

    private boolean isPlaced(final int at, final int token, final byte[] row, final byte[] scaled)
    {
        final int owner = call.owner(at);
        if (!peers.isActive(owner))
        {
            return true;
        }

        final long word = peers.read(peers.words.starts(call.number, owner, call.local(at)));
        final boolean isTold = peers.hasCome(owner, word, call.number);
        if (!isTold)
        {
            peers.notGranted(owner);
            // The fault: a rank that was not told decides by itself.
            if (!fabric.has(Fault.STP_5) || peers.clock.getAsLong() - waitBeganNs < peers.timeoutNs)
            {
                return !fabric.has(Fault.STP_5) && peers.isLost(owner, waitBeganNs, StepOp.PLACE);
            }
        }

        final int start = isTold ? StepWords.value(word) : StepWords.startValue(0, run.arguments.output());
        final StepOutput output = peers.outputs[owner][start >>> StepShape.ROW_BITS];
        call.place[at] = call.local(at) * call.shape.expertRows() + (start & ROW_MASK) + call.slot[at];
        final int place = call.place[at];
        cut(owner, true, output.rows(), (long)place * row.length, row);
        cut(owner, true, output.info(), (long)place * Integer.BYTES, buffer(Integer.BYTES).putInt(token).array());
        scales(owner, true, output, place, scaled);
        return true;
    }

    /** Cut into pieces that arrive one by one. */
    private void cut(
        final int owner, final boolean isLeased, final MemoryRegion region, final long offset, final byte[] bytes)
    {
        final int parts = 1 + fabric.chance().below(MAX_PIECES);
        for (int i = 0; i < parts; i++)
        {
            final int from = bytes.length * i / parts;
            final byte[] piece = Arrays.copyOfRange(bytes, from, bytes.length * (i + 1) / parts);
            pieces.add(() ->
            {
                if (!isLeased || peers.isActive(owner) && !peers.isLeaseOver(owner, StepOp.PLACE))
                {
                    write(region, offset + from, piece);
                }

                return true;
            });
        }
    }

    private void scales(
        final int owner, final boolean isLeased, final StepOutput output, final int place, final byte[] scaled)
    {
        final StepScales layout = run.arguments.scales();
        final long base = StepOutput.scalesOffset(call.places(), call.hidden);
        final ByteBuffer scales = ByteBuffer.wrap(scaled).order(ByteOrder.nativeOrder());
        final int words = call.isFp8 ? layout.words(call.hidden) : 0;
        final int rows = call.shape.expertRows();
        for (int word = 0; word < words; word++)
        {
            int value = layout.isPacked() ? 0 : scales.getInt(word * Float.BYTES);
            for (int i = 4 * word; layout.isPacked() && i < Math.min(4 * word + 4, call.hidden / 128); i++)
            {
                value |= (scales.getInt(i * Float.BYTES) >>> EXPONENT_SHIFT & EXPONENT_MASK) << 8 * (i % 4);
            }

            final long at = layout.isByColumn() ? ((long)(place / rows) * words + word) * rows + place % rows :
                (long)place * words + word;
            cut(owner, isLeased, output.rows(), base + at * Integer.BYTES,
                buffer(Integer.BYTES).putInt(value).array());
        }
    }

    private boolean isFirstOf(final int owner, final int from, final int at)
    {
        for (int i = from; i < at; i++)
        {
            if (call.owner(i) == owner)
            {
                return false;
            }
        }

        return true;
    }

    /** Tokens ahead of one that select experts of an owner. */
    private int slotsAhead(final int owner, final int token)
    {
        int ahead = 0;
        for (int at = 0; at < token * call.topk; at++)
        {
            ahead += call.owner(at) == owner && isFirstOf(owner, at / call.topk * call.topk, at) ? 1 : 0;
        }

        return ahead;
    }

    private boolean isInSlot(final int owner, final int token, final byte[] row, final byte[] scaled)
    {
        if (!peers.isActive(owner))
        {
            return true;
        }

        final int slot = slotsAhead(owner, token);
        final ByteBuffer header = buffer(slots.headerBytes());
        int places = 0;
        for (int at = token * call.topk; at < (token + 1) * call.topk; at++)
        {
            if (call.owner(at) == owner)
            {
                header.putInt(StepSlots.PLACES_OFFSET + places * Integer.BYTES,
                    call.local(at) << StepSlots.EXPERT_SHIFT | call.slot[at]);
                places++;
            }
        }

        header.putInt(0, token).putInt(Integer.BYTES, places);
        cut(owner, false, peers.peer(owner).words(), slots.header(call.number, own(), slot), header.array());
        cut(owner, false, peers.peer(owner).slots(), slots.row(call.number, own(), slot), row);
        cut(owner, false, peers.peer(owner).slots(), slots.row(call.number, own(), slot) + row.length, scaled);
        return true;
    }

    private List<Event> done(final int index)
    {
        final List<Event> stores = new ArrayList<>();
        if (run.isLast(index))
        {
            // Nobody grants answers before; and until now, other blocks used the places that they were granted.
            peers.beginLeases();
        }

        for (int rank = 0; rank < ranks(); rank++)
        {
            final int owner = rank;
            final int filled = StepPlacement.SLOTS == call.placement ? slotsAhead(owner, call.tokens) : 0;
            stores.add(() -> !peers.isActive(owner) ||
                tell(owner, peers.words.done(call.number, own(), block), filled));
        }

        return stores;
    }

    private List<Event> ready()
    {
        final List<Event> stores = new ArrayList<>();
        for (int rank = 0; rank < ranks() && 0 == block; rank++)
        {
            final int home = rank;
            stores.add(() ->
            {
                if (peers.isActive(home))
                {
                    peers.beginReading(home);
                    tell(home, peers.words.ready(call.number, own()), run.arguments.answers());
                }

                return true;
            });
        }

        return stores;
    }

    private List<Event> read()
    {
        final List<Event> stores = new ArrayList<>();
        for (int rank = 0; rank < ranks(); rank++)
        {
            final int owner = rank;
            stores.add(() -> !peers.isActive(owner) || tell(owner, peers.words.read(call.number, own(), block), 0));
        }

        return stores;
    }

    private List<Event> awaitReady()
    {
        waitBegins();
        final List<Event> waits = new ArrayList<>();
        for (int rank = 0; rank < ranks(); rank++)
        {
            final int owner = rank;
            waits.add(() -> !peers.isActive(owner) || isReady(owner) ||
                peers.isLost(owner, waitBeganNs, StepOp.AWAIT));
        }

        return waits;
    }

    private boolean isReady(final int owner)
    {
        final long word = peers.read(peers.words.ready(call.number, owner));
        if (!peers.hasCome(owner, word, call.number))
        {
            peers.notGranted(owner);
            return false;
        }

        run.values[owner] = StepWords.value(word);
        acquire(peers.answers[owner][run.values[owner]]);
        return true;
    }

    private void acquire(final MemoryRegion region)
    {
        ((SteppingRegion)region).acquire(fabric.nextSubmission());
    }

    /** By the last block alone, so that one resident block of each rank is enough. */
    private List<Event> awaitAll(final int index, final boolean isDispatch)
    {
        if (!run.isLast(index) && !fabric.has(Fault.STP_8))
        {
            return List.of();
        }

        run.lastBlock = block;
        waitBegins();
        final List<Event> waits = new ArrayList<>();
        for (int rank = 0; rank < ranks(); rank++)
        {
            final int other = rank;
            waits.add(() -> !peers.isActive(other) && (isDispatch || !peers.isReading(other)) ||
                hasAll(other, isDispatch) || peers.isActive(other) && !fabric.has(Fault.STP_7) &&
                peers.isLost(other, waitBeganNs, StepOp.AWAIT));
        }

        if (isDispatch)
        {
            groups.addFirst(() -> one(this::withdraw));
        }

        return waits;
    }

    private boolean hasAll(final int rank, final boolean isDispatch)
    {
        for (int i = 0; i < call.shape.blocks(); i++)
        {
            final long word = peers.read(isDispatch ? peers.words.done(call.number, rank, i) :
                peers.words.read(call.number, rank, i));
            if (!peers.hasCome(rank, word, call.number))
            {
                return false;
            }

            run.values[rank] = StepWords.value(word);
        }

        if (isDispatch)
        {
            peers.endGrant(rank);
        }
        else
        {
            peers.endReading(rank);
        }

        return true;
    }

    private boolean withdraw()
    {
        acquire(output().rows());
        acquire(output().info());
        acquire(peers.peer(own()).words());
        acquire(peers.peer(own()).slots());
        for (int source = 0; source < ranks() && isWithdrawn(); source++)
        {
            for (int local = 0; local < call.localExperts && !peers.isActive(source); local++)
            {
                write(output().info(), StepOutput.layoutRangeOffset(call.places()) +
                    ((long)local * ranks() + source) * Long.BYTES, new byte[Integer.BYTES]);
            }
        }

        return true;
    }

    private boolean isWithdrawn()
    {
        return StepPlacement.DIRECT == call.placement && !fabric.has(Fault.STP_11);
    }

    private List<Event> pack()
    {
        final List<Event> rows = new ArrayList<>();
        for (int rank = 0; rank < ranks(); rank++)
        {
            for (int i = 0; i < run.values[rank] && peers.isActive(rank); i++)
            {
                final int source = rank;
                final int slot = i;
                rows.add(() -> isPacked(source, slot));
            }
        }

        return rows;
    }

    private boolean isPacked(final int source, final int slot)
    {
        final ByteBuffer header = StepCall.read(
            fabric, peers.peer(own()).words(), slots.header(call.number, source, slot), slots.headerBytes());
        final long at = slots.row(call.number, source, slot);
        final byte[] row = StepCall.read(fabric, peers.peer(own()).slots(), at, call.rowBytes()).array();
        final byte[] scaled = StepCall.read(fabric, peers.peer(own()).slots(), at + row.length,
            call.isFp8 ? call.hidden / 128 * Float.BYTES : 0).array();
        for (int i = 0; i < header.getInt(Integer.BYTES); i++)
        {
            final int packed = header.getInt(StepSlots.PLACES_OFFSET + i * Integer.BYTES);
            final int local = packed >>> StepSlots.EXPERT_SHIFT;
            final int place = local * call.shape.expertRows() +
                call.starts[source * call.shape.localExperts() + local] + (packed & SLOT_MASK);
            cut(own(), false, output().rows(), (long)place * row.length, row);
            cut(own(), false, output().info(), (long)place * Integer.BYTES,
                buffer(Integer.BYTES).putInt(header.getInt(0)).array());
            scales(own(), false, output(), place, scaled);
        }

        return true;
    }

    private List<Event> reduce(final int token)
    {
        if (token >= call.tokens)
        {
            return List.of();
        }

        groups.addFirst(() -> reduce(token + run.blocks));
        final float[] sum = new float[call.hidden];
        final boolean[] isRead = new boolean[ranks()];
        final byte[] leftOut = new byte[call.topk];
        final List<Event> inOrder = new ArrayList<>();
        for (int k = 0; k < call.topk; k++)
        {
            inOrder.add(addend(token, k, sum, isRead, leftOut));
        }

        // One event at a time, k ascending: a group for each.
        final ArrayDeque<Event> rest = new ArrayDeque<>(inOrder);
        return one(() ->
        {
            if (!rest.isEmpty())
            {
                rest.remove().isDone();
                return false;
            }

            return isSummed(token, sum, isRead, leftOut, rest);
        });
    }

    private Event addend(
        final int token, final int k, final float[] sum, final boolean[] isRead, final byte[] leftOut)
    {
        final int at = token * call.topk + k;
        return () ->
        {
            final int owner = call.owner(at);
            if (owner >= 0 && StepPlacement.SLOTS == call.placement && peers.isActive(owner))
            {
                final long word = peers.read(peers.words.starts(call.number, owner, call.local(at)));
                call.place[at] = !peers.hasCome(owner, word, call.number) ? StepCall.NONE :
                    call.local(at) * call.shape.expertRows() + (StepWords.value(word) & ROW_MASK) + call.slot[at];
            }

            leftOut[k] = 0;
            if (owner >= 0 && call.place[at] >= 0 && peers.isActive(owner))
            {
                isRead[owner] = true;
                final ByteBuffer answer = StepCall.read(fabric, peers.answers[owner][run.values[owner]],
                    2L * call.place[at] * call.hidden, 2 * call.hidden);
                final float weight = StepCall.read(fabric, run.arguments.region(StepArguments.WEIGHTS),
                    run.arguments.offset(StepArguments.WEIGHTS) + (long)at * Float.BYTES, Float.BYTES).getFloat();
                for (int i = 0; i < sum.length; i++)
                {
                    sum[i] = Math.fma(weight, Bits.fromBf16(answer.getShort(2 * i)), sum[i]);
                }
            }
            else
            {
                leftOut[k] = (byte)(owner >= 0 ? 1 : 0);
            }

            return true;
        };
    }

    /** Write a sum, unless what it consists of has become void: then it begins anew. */
    private boolean isSummed(
        final int token, final float[] sum, final boolean[] isRead, final byte[] leftOut,
        final ArrayDeque<Event> rest)
    {
        boolean isVoid = false;
        for (int rank = 0; rank < isRead.length; rank++)
        {
            isVoid |= isRead[rank] && (!peers.isActive(rank) || peers.isLeaseOver(rank, StepOp.REDUCE));
        }

        if (isVoid)
        {
            Arrays.fill(sum, 0);
            Arrays.fill(isRead, false);
            for (int k = 0; k < call.topk; k++)
            {
                rest.add(addend(token, k, sum, isRead, leftOut));
            }

            return false;
        }

        final ByteBuffer row = buffer(2 * call.hidden);
        for (final float value : sum)
        {
            row.putShort(Bits.toBf16(value));
        }

        write(run.arguments.region(StepArguments.COMBINED),
            run.arguments.offset(StepArguments.COMBINED) + 2L * token * call.hidden, row.array());
        for (int k = 0; k < call.topk; k++)
        {
            run.leftOut += leftOut[k];
        }

        peers.status.memory().putInt(StepStatus.LEFT_OUT, run.leftOut);
        if (null != run.arguments.region(StepArguments.LEFT_OUT))
        {
            write(run.arguments.region(StepArguments.LEFT_OUT),
                run.arguments.offset(StepArguments.LEFT_OUT) + (long)token * call.topk, leftOut);
        }

        return true;
    }
}
