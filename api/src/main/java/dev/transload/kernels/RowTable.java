/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Rows, each with entries (region, row): what {@link RowKernels#reduceRows} sums into the row, or what
 * {@link RowKernels#scatterRows} copies it to. Rows are numbers; where they lie is said by the bases and strides of the
 * {@link Reduction} or {@link RowScatter}, so that one table serves for any tensor and row length. It lies in memory
 * that the device of the kernels can read. Native code reads it by address; the layout, in native byte order:
 * <pre>
 * row i    at i·8:                      row i32 | firstEntry i32; one more at the end, whose firstEntry counts all
 * entry j  at (rowCapacity+1)·8 + j·8:  row i32 | region + 65536 · beginsPart u32
 * weight j behind all entries, at j·4:  f32, only in a table with weights
 * </pre>
 * Filled by one thread at a time. Kernels read the rows of a call, and their entries, until its position completes;
 * rows may be added behind them meanwhile. A row either has no parts, or its first entry begins one.
 * <p>
 * The table knows the greatest row that is named in each region, so that a call is checked against its regions without
 * a look at the entries. Such a check is of all rows of the table, whichever of them the call is for.
 */
public final class RowTable
{
    /** Bytes of a row. */
    public static final int ROW_STRIDE = 2 * Integer.BYTES;

    /** Of the index of the first entry, in a row. */
    public static final int FIRST_ENTRY_OFFSET = Integer.BYTES;

    /** Bytes of an entry. */
    public static final int ENTRY_STRIDE = 2 * Integer.BYTES;

    /** Of the word with the region and the mark that a part begins, in an entry. */
    public static final int REGION_OFFSET = Integer.BYTES;

    /** Mark of an entry which begins a part, in the word with the region. */
    public static final int BEGINS_PART = 1 << Short.SIZE;

    /** Bytes of a weight. */
    public static final int WEIGHT_STRIDE = Float.BYTES;

    /** Most regions that entries name: indices are 16 bits. */
    public static final int MAX_REGIONS = 1 << Short.SIZE;

    private static final int INITIAL_REGIONS = 16;
    private static final int REGION_MASK = MAX_REGIONS - 1;
    private static final int NONE = -1;

    private final ByteBuffer memory;
    private final int rowCapacity;
    private final int entryCapacity;
    private final boolean isWeighted;
    private final int entriesBase;
    private final int weightsBase;
    private int rows;
    private int entries;
    private int entriesOfRow;
    private boolean isPartBegun;
    private boolean isRowInParts;
    private boolean hasParts;
    private int mostEntries;
    private int greatestRow = NONE;
    private int regions;
    private int[] greatestRows = new int[INITIAL_REGIONS];

    /**
     * Over memory of at least {@link #bytes}.
     *
     * @param memory        direct buffer, kept for the life of the table.
     * @param rowCapacity   most rows.
     * @param entryCapacity most entries of all rows together.
     * @param isWeighted    whether entries have weights.
     */
    public RowTable(
        final ByteBuffer memory, final int rowCapacity, final int entryCapacity, final boolean isWeighted)
    {
        final int bytes = bytes(rowCapacity, entryCapacity, isWeighted);
        if (!memory.isDirect() || memory.capacity() < bytes)
        {
            throw new IllegalArgumentException(
                "memory must be direct and hold " + bytes + " bytes, has " + memory.capacity());
        }

        this.memory = memory.duplicate().order(ByteOrder.nativeOrder());
        this.rowCapacity = rowCapacity;
        this.entryCapacity = entryCapacity;
        this.isWeighted = isWeighted;
        this.entriesBase = (rowCapacity + 1) * ROW_STRIDE;
        this.weightsBase = entriesBase + entryCapacity * ENTRY_STRIDE;
        Arrays.fill(greatestRows, NONE);
        endRowsAt(0, 0);
    }

    /**
     * Memory that a table needs.
     *
     * @param rowCapacity   most rows, not negative.
     * @param entryCapacity most entries, not negative.
     * @param isWeighted    whether entries have weights.
     * @return bytes.
     */
    public static int bytes(final int rowCapacity, final int entryCapacity, final boolean isWeighted)
    {
        if ((rowCapacity | entryCapacity) < 0)
        {
            throw new IllegalArgumentException("rowCapacity=" + rowCapacity + ", entryCapacity=" + entryCapacity +
                ": must not be negative");
        }

        return Math.toIntExact((rowCapacity + 1L) * ROW_STRIDE +
            (long)entryCapacity * (ENTRY_STRIDE + (isWeighted ? WEIGHT_STRIDE : 0)));
    }

    /**
     * Empty the table.
     *
     * @return this.
     */
    public RowTable clear()
    {
        rows = 0;
        entries = 0;
        entriesOfRow = 0;
        isPartBegun = false;
        isRowInParts = false;
        hasParts = false;
        mostEntries = 0;
        greatestRow = NONE;
        Arrays.fill(greatestRows, 0, regions, NONE);
        regions = 0;
        endRowsAt(0, 0);
        return this;
    }

    /**
     * Begin a row; entries added from now on belong to it.
     *
     * @param row of the sum, and of its biases; or of the row that is copied. Not negative.
     */
    public void beginRow(final int row)
    {
        if (rows == rowCapacity || row < 0)
        {
            throw row < 0 ? negative("row", row) :
                new IllegalStateException("table is full: " + rowCapacity + " rows");
        }

        memory.putInt(rows * ROW_STRIDE, row);
        rows++;
        endRowsAt(rows, entries);
        greatestRow = Math.max(greatestRow, row);
        entriesOfRow = 0;
        isPartBegun = false;
        isRowInParts = false;
    }

    /**
     * Begin a part of the row begun last: entries added from now on are summed by themselves first. A part without
     * entries is none. Copies have no parts.
     *
     * @throws IllegalStateException after entries that belong to no part.
     */
    public void beginPart()
    {
        if (0 == rows || !isRowInParts && entriesOfRow > 0)
        {
            throw new IllegalStateException(
                0 == rows ? "no row was begun" : "the row has entries already which belong to no part");
        }

        isPartBegun = true;
        isRowInParts = true;
    }

    /**
     * Add an entry to the row begun last, with a weight of 1 where the table has weights.
     *
     * @param region index of a source region of the {@link Reduction}, or target region of the {@link RowScatter}.
     * @param row    in that region. Not negative.
     */
    public void add(final int region, final int row)
    {
        append(region, row);
        if (isWeighted)
        {
            memory.putFloat(weightsBase + (entries - 1) * WEIGHT_STRIDE, 1.0f);
        }
    }

    /**
     * Add an entry with a weight to the row begun last.
     *
     * @param region index of a source region of the {@link Reduction}.
     * @param row    in that region. Not negative.
     * @param weight used by weighted reductions only.
     */
    public void add(final int region, final int row, final float weight)
    {
        if (!isWeighted)
        {
            throw new IllegalStateException("the table has no weights: it must come from allocateWeightedTable");
        }

        append(region, row);
        memory.putFloat(weightsBase + (entries - 1) * WEIGHT_STRIDE, weight);
    }

    private void append(final int region, final int row)
    {
        if (entries == entryCapacity || 0 == rows)
        {
            throw new IllegalStateException(
                0 == rows ? "no row was begun" : "table is full: " + entryCapacity + " entries");
        }

        if (row < 0)
        {
            throw negative("row", row);
        }

        noteNamed(region, row);
        final int at = entriesBase + entries * ENTRY_STRIDE;
        memory.putInt(at, row);
        memory.putInt(at + REGION_OFFSET, isPartBegun ? region | BEGINS_PART : region);
        hasParts |= isPartBegun;
        isPartBegun = false;
        entries++;
        endRowsAt(rows, entries);
        entriesOfRow++;
        mostEntries = Math.max(mostEntries, entriesOfRow);
    }

    /** The entries of the last row end where those of the next one begin. */
    private void endRowsAt(final int row, final int entry)
    {
        memory.putInt(row * ROW_STRIDE + FIRST_ENTRY_OFFSET, entry);
    }

    private static IllegalArgumentException negative(final String name, final int value)
    {
        return new IllegalArgumentException(name + "=" + value + ": must not be negative");
    }

    /**
     * Note that the whole table was written into {@link #memory()} by address, in place of the methods that add to it:
     * for loops that count nanoseconds. The first entry behind the last row is written here. {@link #noteNamed} must
     * follow for each region that entries name. What is noted is not looked up: too little lets kernels go outside of
     * the regions.
     *
     * @param rowCount         rows that it holds now.
     * @param entryCount       entries that it holds now.
     * @param newGreatestRow   greatest row, not of the entries; -1 where there is none.
     * @param newMostEntries   most entries of a row.
     * @param isAnyPartBegun   whether some entry begins a part.
     */
    public void noteWritten(
        final int rowCount, final int entryCount, final int newGreatestRow, final int newMostEntries,
        final boolean isAnyPartBegun)
    {
        if ((rowCount | entryCount) < 0 || rowCount > rowCapacity || entryCount > entryCapacity)
        {
            throw new IllegalArgumentException("rowCount=" + rowCount + ", entryCount=" + entryCount +
                ": must be at most " + rowCapacity + " and " + entryCapacity);
        }

        clear();
        rows = rowCount;
        entries = entryCount;
        greatestRow = newGreatestRow;
        mostEntries = newMostEntries;
        hasParts = isAnyPartBegun;
        endRowsAt(rows, entries);
    }

    /**
     * Note that entries which were written by address name rows of a region.
     *
     * @param region index of the region.
     * @param row    the greatest of the rows, or more.
     */
    public void noteNamed(final int region, final int row)
    {
        if (region < 0 || region >= MAX_REGIONS)
        {
            throw new IllegalArgumentException("region=" + region + ": must be in [0, " + MAX_REGIONS + ")");
        }

        if (region >= regions)
        {
            if (region >= greatestRows.length)
            {
                final int length = greatestRows.length;
                greatestRows = Arrays.copyOf(greatestRows, Math.max(region + 1, 2 * length));
                Arrays.fill(greatestRows, length, greatestRows.length, NONE);
            }

            regions = region + 1;
        }

        greatestRows[region] = Math.max(greatestRows[region], row);
    }

    /**
     * Rows held.
     *
     * @return number of rows.
     */
    public int rows()
    {
        return rows;
    }

    /**
     * Entries held by all rows.
     *
     * @return number of entries.
     */
    public int entries()
    {
        return entries;
    }

    /**
     * Most rows.
     *
     * @return capacity.
     */
    public int rowCapacity()
    {
        return rowCapacity;
    }

    /**
     * Most entries.
     *
     * @return capacity.
     */
    public int entryCapacity()
    {
        return entryCapacity;
    }

    /**
     * Whether entries have weights.
     *
     * @return true for a table of {@link RowKernels#allocateWeightedTable}.
     */
    public boolean isWeighted()
    {
        return isWeighted;
    }

    /**
     * Number of a row.
     *
     * @param index of the row in the table.
     * @return row.
     */
    public int row(final int index)
    {
        return memory.getInt(index * ROW_STRIDE);
    }

    /**
     * First entry of a row.
     *
     * @param index of the row in the table, in [0, {@link #rows()}]: that of the last is the number of entries.
     * @return index of an entry.
     */
    public int firstEntry(final int index)
    {
        return memory.getInt(index * ROW_STRIDE + FIRST_ENTRY_OFFSET);
    }

    /**
     * Entries of a row.
     *
     * @param index of the row in the table.
     * @return count, may be 0.
     */
    public int entryCount(final int index)
    {
        return firstEntry(index + 1) - firstEntry(index);
    }

    /**
     * Region of an entry.
     *
     * @param entry index.
     * @return index of a region.
     */
    public int region(final int entry)
    {
        return memory.getInt(entriesBase + entry * ENTRY_STRIDE + REGION_OFFSET) & REGION_MASK;
    }

    /**
     * Row of an entry.
     *
     * @param entry index.
     * @return row in the entry's region.
     */
    public int entryRow(final int entry)
    {
        return memory.getInt(entriesBase + entry * ENTRY_STRIDE);
    }

    /**
     * Whether a part begins with an entry.
     *
     * @param entry index.
     * @return true for the first entry of a part.
     */
    public boolean beginsPart(final int entry)
    {
        return memory.getInt(entriesBase + entry * ENTRY_STRIDE + REGION_OFFSET) >= BEGINS_PART;
    }

    /**
     * Weight of an entry.
     *
     * @param entry index.
     * @return weight, 1 in a table without weights.
     */
    public float weight(final int entry)
    {
        return isWeighted ? memory.getFloat(weightsBase + entry * WEIGHT_STRIDE) : 1.0f;
    }

    /**
     * Greatest row of the table, not of the entries.
     *
     * @return row, -1 where there is none.
     */
    public int greatestRow()
    {
        return greatestRow;
    }

    /**
     * Regions that entries name, and those of lower index.
     *
     * @return one more than the greatest index named; 0 where there is no entry.
     */
    public int regions()
    {
        return regions;
    }

    /**
     * Greatest row that entries name in a region.
     *
     * @param region index, in [0, {@link #regions()}).
     * @return row, -1 where no entry names the region.
     */
    public int greatestRow(final int region)
    {
        return greatestRows[region];
    }

    /**
     * Most entries of a row.
     *
     * @return count.
     */
    public int mostEntries()
    {
        return mostEntries;
    }

    /**
     * Whether any row has parts.
     *
     * @return false where no entry begins a part.
     */
    public boolean hasParts()
    {
        return hasParts;
    }

    /**
     * Where the entries begin in {@link #memory()}.
     *
     * @return offset in bytes.
     */
    public int entriesOffset()
    {
        return entriesBase;
    }

    /**
     * Where the weights begin in {@link #memory()}, if the table has any.
     *
     * @return offset in bytes.
     */
    public int weightsOffset()
    {
        return weightsBase;
    }

    /**
     * Backing memory for native code.
     *
     * @return direct buffer in native order.
     */
    public ByteBuffer memory()
    {
        return memory;
    }
}
