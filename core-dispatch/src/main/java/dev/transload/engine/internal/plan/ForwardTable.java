/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import dev.transload.engine.internal.wire.MetadataBlock;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * What a relay does with a stream: for each position of it the output rows, (local rank, row), that the row goes to.
 * Dispatch reads the table forwards (one read, many writes), combine backwards (many reads, one write). The own row of
 * a position is its slot in a ring, or of a stream that begins here, its token.
 * <p>
 * What a row goes to is kept for all rows, in a few bytes: a bit for each local rank; the experts, where each has a row
 * of its own; the token, where no ring has the row. The places follow from that by counting, so that a long table
 * need not be in memory as a whole ({@link SegmentedTable}).
 */
public final class ForwardTable
{
    private static final VarHandle LONG =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int NONE = -1;

    private final int maskWords;
    private final int maskBytes;
    private final SendLayout home;
    private final SegmentedTable segments;
    private final int blockRows;
    private final int[] first;
    private final int[] next;
    private final int[] rowsTo;
    private final int[] placesOf;
    private final int[] greatestOf;
    private final boolean[] inPlace;
    private final Selections experts = new Selections();
    private final int[] picked;
    private byte[] masks = new byte[0];
    private int[] tokens = new int[0];
    private int rows;
    private int planned;
    private int noted;
    private int topk;
    private int slots;
    private int localExperts;
    private int firstOfNode;
    private int entries;
    private int mostEntries;
    private int greatestRow;
    private boolean isRankMajor;
    private int picking;

    /**
     * Empty.
     *
     * @param home       of the tokens that are read here.
     * @param mostPlaces most prefixes of a block.
     */
    ForwardTable(final Geometry geometry, final SendLayout home, final int locals, final int mostPlaces)
    {
        this.home = home;
        this.maskWords = geometry.maskWords();
        this.maskBytes = (locals + Byte.SIZE - 1) / Byte.SIZE;
        this.segments = new SegmentedTable(geometry);
        this.blockRows = geometry.blockRows();
        this.first = new int[mostPlaces];
        this.next = new int[mostPlaces];
        this.rowsTo = new int[locals];
        this.placesOf = new int[locals];
        this.greatestOf = new int[locals];
        this.inPlace = new boolean[locals];
        this.picked = new int[geometry.config().maxTopk()];
    }

    /**
     * Make room for a dispatch.
     *
     * @param expertsEach L, where each selected expert has a row of its own; else 0.
     * @param ring        slots of the ring that the rows come in; 0 where they are read by token.
     */
    public void begin(
        final int count, final int k, final int expertsEach, final int ring, final RowKernels kernels)
    {
        rows = count;
        planned = 0;
        noted = 0;
        topk = k;
        slots = ring;
        localExperts = expertsEach;
        isRankMajor = 0 == expertsEach;
        Arrays.fill(rowsTo, 0);
        Arrays.fill(placesOf, 0);
        Arrays.fill(greatestOf, -1);
        Arrays.fill(inPlace, false);
        reserve();
        segments.begin(count, mostOfRow(), kernels);
        segments.clear();
    }

    private void reserve()
    {
        // A mask's last word is read whole.
        final int length = Math.addExact(Math.multiplyExact(rows, maskBytes), Long.BYTES);
        if (masks.length < length)
        {
            masks = new byte[length];
        }

        if (0 == slots && tokens.length < rows)
        {
            tokens = new int[rows];
        }

        if (!isRankMajor && 0 != slots)
        {
            experts.begin(rows, topk, places());
        }
    }

    private int mostOfRow()
    {
        return isRankMajor ? Math.min(topk, rowsTo.length) : topk;
    }

    /** Another call reads the table from its first row on. */
    public void rewind()
    {
        segments.rewind();
    }

    /**
     * Learn where the rows of the next block go.
     *
     * @param block  with their masks and experts.
     * @param starts first output row of the source: of each local rank, or expert-major of each of their experts.
     */
    public void plan(final MetadataBlock block, final int[] starts, final int firstExpert)
    {
        final int places = places();
        final int count = block.rows();
        if (planned + count > rows)
        {
            throw new IllegalStateException("a stream brings more rows than were announced: " +
                (planned + count) + " of " + rows);
        }

        // Blocks come in order, so counting goes on from the first one.
        for (int i = 0; i < places && 0 == planned; i++)
        {
            first[i] = starts[i] + block.prefix(i);
        }

        firstOfNode = firstExpert;
        keep(block);
        planned += count;
    }

    /** Output rows that are counted: of local ranks, or expert-major of their experts. */
    private int places()
    {
        return isRankMajor ? rowsTo.length : rowsTo.length * localExperts;
    }

    private void keep(final MetadataBlock block)
    {
        final int count = block.rows();
        keepMasks(block.masks(), count);
        if (0 == slots)
        {
            for (int i = 0; i < count; i++)
            {
                tokens[planned + i] = UnsafeApi.getInt(block.tokens() + (long)i * Integer.BYTES);
            }
        }

        if (!isRankMajor)
        {
            keepExperts(block);
        }
    }

    private void keepMasks(final long from, final int count)
    {
        if (1 == maskBytes)
        {
            for (int i = 0; i < count; i++)
            {
                masks[planned + i] = (byte)UnsafeApi.getLong(from + (long)i * Long.BYTES);
            }

            return;
        }

        for (int i = 0, to = planned * maskBytes; i < count; i++)
        {
            for (int word = 0, left = maskBytes; left > 0; word++, left -= Long.BYTES)
            {
                long mask = UnsafeApi.getLong(from + ((long)i * maskWords + word) * Long.BYTES);
                for (int bytes = Math.min(left, Long.BYTES); bytes > 0; bytes--, mask >>>= Byte.SIZE)
                {
                    masks[to++] = (byte)mask;
                }
            }
        }
    }

    private void keepExperts(final MetadataBlock block)
    {
        final int nodeExperts = places();
        for (int i = 0, count = 0 == slots ? 0 : block.rows(); i < count; i++)
        {
            experts.beginRow();
            for (int k = 0; k < topk; k++)
            {
                final long at = ((long)i * topk + k) * Integer.BYTES;
                final int expert = UnsafeApi.getInt(block.experts() + at) - firstOfNode;
                if (expert >= 0 && expert < nodeExperts)
                {
                    experts.add(k, expert);
                }
            }
        }

        for (int i = planned, end = planned + block.rows(); i < end; i++)
        {
            for (int word = 0; word < maskWords; word++)
            {
                for (long bits = mask(i, word); 0 != bits; bits &= bits - 1)
                {
                    rowsTo[word * Long.SIZE + Long.numberOfTrailingZeros(bits)]++;
                }
            }
        }
    }

    /**
     * Place more of the rows that are planned, as far as there is room for them in the table.
     *
     * @param completed position that the row kernels have passed.
     */
    public int place(final long completed)
    {
        final int from = segments.written();
        if (from == planned || !segments.isFree(completed))
        {
            return 0;
        }

        if (0 == from)
        {
            System.arraycopy(first, 0, next, 0, places());
            picking = 0;
        }

        final int count = Math.min(Math.min(blockRows, planned - from), segments.end(from) - from);
        write(from, count);
        if (from + count > noted)
        {
            noted = from + count;
            note();
        }

        return count;
    }

    private void write(final int from, final int count)
    {
        final RowTable table = segments.writing();
        if (0 == segments.index(from))
        {
            entries = 0;
            mostEntries = 0;
            greatestRow = -1;
        }

        if (isRankMajor)
        {
            writeRankMajor(table, from, count);
        }
        else
        {
            writeExpertMajor(table, from, count);
        }

        segments.wrote(count);
        table.noteWritten(segments.index(from) + count, entries, greatestRow, mostEntries, false);
        for (int place = 0, of = isRankMajor ? 1 : localExperts, all = places(); place < all; place++)
        {
            if (next[place] > first[place])
            {
                table.noteNamed(place / of, next[place] - 1);
            }
        }
    }

    /** By address, since a relay does it for each row that it hands on. */
    private void writeRankMajor(final RowTable table, final int from, final int count)
    {
        final long base = BufferUtil.address(table.memory());
        final long entriesAt = base + table.entriesOffset();
        int entry = entries;
        int slot = 0 == slots ? 0 : from % slots;
        long row = base + (long)segments.index(from) * RowTable.ROW_STRIDE;
        for (int i = from; i < from + count; i++, row += RowTable.ROW_STRIDE)
        {
            if (0 == slots)
            {
                slot = tokens[i];
            }

            UnsafeApi.putInt(row, slot);
            UnsafeApi.putInt(row + RowTable.FIRST_ENTRY_OFFSET, entry);
            greatestRow = Math.max(greatestRow, slot);
            final int before = entry;
            for (int word = 0; word < maskWords; word++)
            {
                final long mask = 1 == maskBytes ? masks[i] & 0xFF : mask(i, word);
                requireRoom(table, entry + Long.bitCount(mask));
                for (long bits = mask; 0 != bits; bits &= bits - 1)
                {
                    final int local = word * Long.SIZE + Long.numberOfTrailingZeros(bits);
                    final long at = entriesAt + (long)entry++ * RowTable.ENTRY_STRIDE;
                    UnsafeApi.putInt(at, next[local]++);
                    UnsafeApi.putInt(at + RowTable.REGION_OFFSET, local);
                }
            }

            mostEntries = Math.max(mostEntries, entry - before);
            slot = slot + 1 == slots ? 0 : slot + 1;
        }

        entries = entry;
    }

    private void writeExpertMajor(final RowTable table, final int from, final int count)
    {
        final long base = BufferUtil.address(table.memory());
        final long entriesAt = base + table.entriesOffset();
        int entry = entries;
        for (int i = from; i < from + count; i++)
        {
            final long row = base + (long)segments.index(i) * RowTable.ROW_STRIDE;
            final int own = own(i);
            UnsafeApi.putInt(row, own);
            UnsafeApi.putInt(row + RowTable.FIRST_ENTRY_OFFSET, entry);
            greatestRow = Math.max(greatestRow, own);
            final int before = entry;
            requireRoom(table, entry + topk);
            picking = pick(i, picking, picked);
            for (int k = 0; k < topk; k++)
            {
                final int expert = picked[k];
                if (expert >= 0)
                {
                    final long at = entriesAt + (long)entry++ * RowTable.ENTRY_STRIDE;
                    UnsafeApi.putInt(at, next[expert]++);
                    UnsafeApi.putInt(at + RowTable.REGION_OFFSET, expert / localExperts);
                }
            }

            mostEntries = Math.max(mostEntries, entry - before);
        }

        entries = entry;
    }

    /**
     * Read a row's experts by their index in the node, −1 for those elsewhere; the own tokens' are known to the layout.
     * Others are read one row behind the other: begins where the row's begin, and returns where the next one's do.
     */
    private int pick(final int position, final int at, final int[] into)
    {
        if (0 != slots)
        {
            return experts.read(at, into);
        }

        for (int k = 0; k < topk; k++)
        {
            final int expert = home.expert(tokens[position], k) - firstOfNode;
            into[k] = expert >= 0 && expert < rowsTo.length * localExperts ? expert : NONE;
        }

        return at;
    }

    /** Masks that differ from the counts are not to be written past the end. */
    private static void requireRoom(final RowTable table, final int entry)
    {
        if (entry > table.entryCapacity())
        {
            throw new IllegalStateException("a stream has more places than its counts allow: " + entry + " of " +
                table.entryCapacity());
        }
    }

    /** How many rows go to each rank, and where the last of them is, whatever part of the table is there now. */
    private void note()
    {
        final int placesOfRank = isRankMajor ? 1 : localExperts;
        for (int local = 0; local < rowsTo.length; local++)
        {
            int count = 0;
            for (int place = local * placesOfRank; place < (local + 1) * placesOfRank; place++)
            {
                if (next[place] > first[place])
                {
                    count += next[place] - first[place];
                    greatestOf[local] = Math.max(greatestOf[local], next[place] - 1);
                }
            }

            placesOf[local] = count;
            rowsTo[local] = isRankMajor ? count : rowsTo[local];
        }
    }

    /** Rows of the stream. */
    public int rows()
    {
        return rows;
    }

    /**
     * Rows of which is known where they go.
     *
     * @return position after the last of them.
     */
    public int planned()
    {
        return planned;
    }

    /**
     * Rows whose places are in the table, or were: those that were read may be gone.
     *
     * @return position after the last of them.
     */
    public int placed()
    {
        return segments.written();
    }

    /** Rows that go to a local rank, of those placed. */
    public int rowsTo(final int local)
    {
        return rowsTo[local];
    }

    /** Output rows of a local rank that they go to: several for a row that several of its experts get, expert-major. */
    public int placesOf(final int local)
    {
        return placesOf[local];
    }

    /**
     * Greatest output row of a local rank that rows go to.
     *
     * @return row, −1 where there is none.
     */
    public int greatestOf(final int local)
    {
        return greatestOf[local];
    }

    /**
     * The table that has a row, for row kernels.
     *
     * @param position in the stream, whose row is placed.
     * @return table with a row for each position up to {@link #end}.
     */
    public RowTable table(final int position)
    {
        return segments.table(position);
    }

    /** Where a row is in its table. */
    public int index(final int position)
    {
        return segments.index(position);
    }

    /**
     * How far the table of a row goes.
     *
     * @return position behind the last one that it can have.
     */
    public int end(final int position)
    {
        return segments.end(position);
    }

    /**
     * Rows are not needed any more in this call.
     *
     * @param end      position behind the last of them.
     * @param position that the row kernels pass when they have read them, 0 where they do not read them.
     */
    public void read(final int end, final long position)
    {
        segments.read(end, position);
    }

    /** Own row of a position: its token, or its slot. */
    int own(final int position)
    {
        return 0 == slots ? tokens[position] : position % slots;
    }

    /**
     * Count out where a row goes, as {@link #place} does, from the first one on.
     *
     * @return local rank and row of each place, one behind the other.
     */
    int[] placesAt(final int position)
    {
        final int[] counted = first.clone();
        final int[] places = new int[2 * mostOfRow()];
        final int[] selected = new int[isRankMajor ? 0 : topk];
        int length = 0;
        int at = 0;
        for (int i = 0; i <= position; i++)
        {
            length = 0;
            at = isRankMajor ? 0 : pick(i, at, selected);
            for (int word = 0; isRankMajor && word < maskWords; word++)
            {
                for (long bits = mask(i, word); 0 != bits; bits &= bits - 1)
                {
                    places[length++] = word * Long.SIZE + Long.numberOfTrailingZeros(bits);
                    places[length++] = counted[places[length - 2]]++;
                }
            }

            for (int k = 0; !isRankMajor && k < topk; k++)
            {
                final int expert = selected[k];
                if (expert >= 0)
                {
                    places[length++] = expert / localExperts;
                    places[length++] = counted[expert]++;
                }
            }
        }

        return Arrays.copyOf(places, length);
    }

    /**
     * A word of a row's mask.
     *
     * @return bits of the local ranks that get the row.
     */
    public long mask(final int position, final int word)
    {
        final int left = maskBytes - word * Long.BYTES;
        final long bits = left <= 0 ? 0 : (long)LONG.get(masks, position * maskBytes + word * Long.BYTES);
        return left >= Long.BYTES ? bits : bits & (1L << left * Byte.SIZE) - 1;
    }

    /**
     * A combine knows how a rank's rows come back.
     *
     * @param isInPlace whether they are read where they are; else they come in a ring.
     */
    public void readInPlace(final int local, final boolean isInPlace)
    {
        inPlace[local] = isInPlace;
    }

    /**
     * How the last combine got a rank's rows.
     *
     * @return true if it read them in place.
     */
    boolean isReadInPlace(final int local)
    {
        return inPlace[local];
    }

    /**
     * Words of a mask.
     *
     * @return 64-bit words.
     */
    public int maskWords()
    {
        return maskWords;
    }
}
