/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.plan;

import dev.transload.engine.wire.MetadataBlock;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import java.util.Arrays;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * What a relay does with a stream: for each position of it the output rows, (local rank, row), that the row goes to.
 * Dispatch reads the table forwards (one read, many writes), combine backwards (many reads, one write). The own row of
 * a position is its slot in a ring, or of a stream that begins here, its token.
 */
public final class ForwardTable
{
    private final int maskWords;
    private final int[] next;
    private final int[] rowsTo;
    private final int[] placesOf;
    private final int[] greatestOf;
    private final boolean[] inPlace;
    private RowTable table;
    private long[] masks = new long[0];
    private int rows;
    private int planned;
    private int blockRows;
    private int entries;
    private int mostEntries;
    private int greatestRow;
    private boolean isRankMajor;

    /**
     * Empty.
     *
     * @param maskWords  64-bit words of a mask.
     * @param locals     ranks of the node.
     * @param mostPlaces most prefixes of a block.
     */
    ForwardTable(final int maskWords, final int locals, final int mostPlaces)
    {
        this.maskWords = maskWords;
        this.next = new int[mostPlaces];
        this.rowsTo = new int[locals];
        this.placesOf = new int[locals];
        this.greatestOf = new int[locals];
        this.inPlace = new boolean[locals];
    }

    /**
     * Make room for a dispatch.
     *
     * @param count       rows of the stream.
     * @param topk        K.
     * @param isExpanded  whether each selected expert has a row of its own.
     * @param kernels     which read it.
     */
    public void begin(final int count, final int topk, final boolean isExpanded, final RowKernels kernels)
    {
        rows = count;
        planned = 0;
        isRankMajor = !isExpanded;
        Arrays.fill(rowsTo, 0);
        Arrays.fill(placesOf, 0);
        Arrays.fill(greatestOf, -1);
        Arrays.fill(inPlace, false);
        entries = 0;
        mostEntries = 0;
        greatestRow = -1;
        if (masks.length < count * maskWords)
        {
            masks = new long[count * maskWords];
        }

        final int entries = Math.multiplyExact(count, isExpanded ? topk : Math.min(topk, rowsTo.length));
        if (null == table || table.rowCapacity() < count || table.entryCapacity() < entries)
        {
            table = kernels.allocateTable(Math.max(1, count), Math.max(1, entries));
        }

        table.clear();
    }

    /**
     * Place the rows of the next block.
     *
     * @param block    to place.
     * @param starts   first output row of the source: of each local rank, or expert-major of each expert of the node.
     * @param slots    of the ring that the rows come in; 0 where they are read by token.
     * @param localExperts L, for expert-major output.
     * @param firstExpert  of the node.
     */
    public void plan(
        final MetadataBlock block, final int[] starts, final int slots, final int localExperts, final int firstExpert)
    {
        final int places = isRankMajor ? rowsTo.length : rowsTo.length * localExperts;
        blockRows = block.rows();
        if (planned + blockRows > rows)
        {
            throw new IllegalStateException("a stream brings more rows than were announced: " +
                (planned + blockRows) + " of " + rows);
        }

        for (int i = 0; i < places; i++)
        {
            next[i] = starts[i] + block.prefix(i);
        }

        if (isRankMajor)
        {
            planRankMajor(block, slots);
        }
        else
        {
            planExpertMajor(block, slots, localExperts, firstExpert);
        }

        planned += block.rows();
    }

    /** By address, since a relay does it for each row that it hands on. */
    private void planRankMajor(final MetadataBlock block, final int slots)
    {
        final long base = BufferUtil.address(table.memory());
        final long entriesAt = base + table.entriesOffset();
        final long from = block.masks();
        final long tokens = block.tokens();
        final int count = block.rows();
        int entry = entries;
        int slot = 0 == slots ? 0 : planned % slots;
        for (int i = 0, to = planned * maskWords; i < count; i++)
        {
            if (0 == slots)
            {
                slot = UnsafeApi.getInt(tokens + (long)i * Integer.BYTES);
            }

            final long row = base + (long)(planned + i) * RowTable.ROW_STRIDE;
            UnsafeApi.putInt(row, slot);
            UnsafeApi.putInt(row + RowTable.FIRST_ENTRY_OFFSET, entry);
            greatestRow = Math.max(greatestRow, slot);
            final int before = entry;
            for (int word = 0; word < maskWords; word++, to++)
            {
                final long mask = UnsafeApi.getLong(from + ((long)i * maskWords + word) * Long.BYTES);
                masks[to] = mask;
                requireRoom(entry + Long.bitCount(mask));
                for (long bits = mask; 0 != bits; bits &= bits - 1)
                {
                    final int local = word * Long.SIZE + Long.numberOfTrailingZeros(bits);
                    final long at = entriesAt + (long)entry++ * RowTable.ENTRY_STRIDE;
                    UnsafeApi.putInt(at, next[local]++);
                    UnsafeApi.putInt(at + RowTable.REGION_OFFSET, local);
                    rowsTo[local]++;
                }
            }

            mostEntries = Math.max(mostEntries, entry - before);
            slot = slot + 1 == slots ? 0 : slot + 1;
        }

        entries = entry;
        note(rowsTo.length, 1);
    }

    private void planExpertMajor(
        final MetadataBlock block, final int slots, final int localExperts, final int firstExpert)
    {
        final long base = BufferUtil.address(table.memory());
        final long entriesAt = base + table.entriesOffset();
        final long from = block.masks();
        final long experts = block.experts();
        final int topk = block.topk();
        final int nodeExperts = rowsTo.length * localExperts;
        int entry = entries;
        for (int i = 0, count = block.rows(), to = planned * maskWords; i < count; i++)
        {
            final int own = 0 == slots ? UnsafeApi.getInt(block.tokens() + (long)i * Integer.BYTES) :
                (planned + i) % slots;
            final long row = base + (long)(planned + i) * RowTable.ROW_STRIDE;
            UnsafeApi.putInt(row, own);
            UnsafeApi.putInt(row + RowTable.FIRST_ENTRY_OFFSET, entry);
            greatestRow = Math.max(greatestRow, own);
            for (int word = 0; word < maskWords; word++, to++)
            {
                masks[to] = UnsafeApi.getLong(from + ((long)i * maskWords + word) * Long.BYTES);
                for (long bits = masks[to]; 0 != bits; bits &= bits - 1)
                {
                    rowsTo[word * Long.SIZE + Long.numberOfTrailingZeros(bits)]++;
                }
            }

            final int before = entry;
            requireRoom(entry + topk);
            for (int k = 0; k < topk; k++)
            {
                final int expert = UnsafeApi.getInt(experts + ((long)i * topk + k) * Integer.BYTES) - firstExpert;
                if (expert >= 0 && expert < nodeExperts)
                {
                    final long at = entriesAt + (long)entry++ * RowTable.ENTRY_STRIDE;
                    UnsafeApi.putInt(at, next[expert]++);
                    UnsafeApi.putInt(at + RowTable.REGION_OFFSET, expert / localExperts);
                    placesOf[expert / localExperts]++;
                }
            }

            mostEntries = Math.max(mostEntries, entry - before);
        }

        entries = entry;
        note(nodeExperts, localExperts);
    }

    /** Masks that differ from the counts are not to be written past the end. */
    private void requireRoom(final int entry)
    {
        if (entry > table.entryCapacity())
        {
            throw new IllegalStateException("a stream has more places than its counts allow: " + entry + " of " +
                table.entryCapacity());
        }
    }

    /** Let the table know what was written, for the checks of who reads it. */
    private void note(final int places, final int placesOfRank)
    {
        for (int place = 0; place < places; place++)
        {
            final int local = place / placesOfRank;
            greatestOf[local] = Math.max(greatestOf[local], next[place] - 1);
        }

        table.noteWritten(planned + blockRows, entries, greatestRow, mostEntries, false);
        for (int local = 0; local < rowsTo.length; local++)
        {
            if (rowsTo[local] > 0)
            {
                table.noteNamed(local, greatestOf[local]);
            }
        }
    }

    /**
     * Rows of the stream.
     *
     * @return count.
     */
    public int rows()
    {
        return rows;
    }

    /**
     * Rows whose places are known.
     *
     * @return position after the last of them.
     */
    public int planned()
    {
        return planned;
    }

    /**
     * Rows that go to a local rank, of those planned.
     *
     * @param local rank.
     * @return count.
     */
    public int rowsTo(final int local)
    {
        return rowsTo[local];
    }

    /**
     * Output rows of a local rank that they go to: several for a row that several of its experts get, expert-major.
     *
     * @param local rank.
     * @return count.
     */
    public int placesOf(final int local)
    {
        return isRankMajor ? rowsTo[local] : placesOf[local];
    }

    /**
     * The table, for row kernels.
     *
     * @return table with a row for each position.
     */
    public RowTable table()
    {
        return table;
    }

    /**
     * A word of a row's mask.
     *
     * @param position in the stream.
     * @param word     of the mask.
     * @return bits of the local ranks that get the row.
     */
    public long mask(final int position, final int word)
    {
        return masks[position * maskWords + word];
    }

    /**
     * A combine knows how a rank's rows come back.
     *
     * @param local     rank.
     * @param isInPlace whether they are read where they are; else they come in a ring.
     */
    public void readInPlace(final int local, final boolean isInPlace)
    {
        inPlace[local] = isInPlace;
    }

    /**
     * How the last combine got a rank's rows.
     *
     * @param local rank.
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
