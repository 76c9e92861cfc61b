/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A list of rows, each with entries (region, row). {@link RowKernels#reduceRows} sums the entries of a row into the
 * row; {@link RowKernels#scatterRows} copies a row to its entries. A table holds row numbers. The bases and strides of
 * the {@link Reduction} or {@link RowScatter} turn row numbers into addresses, so that one table can be used with any
 * tensor and row length. The table is in memory that the kernels' device can read. Native code reads the table by its
 * address. This is the layout, in native byte order:
 * <pre>
 * row i    at i·8:                      row i32 | firstEntry i32; one more row at the end holds the number of entries
 * entry j  at (rowCapacity+1)·8 + j·8:  row i32 | region + 65536 · beginsPart u32
 * weight j after all entries, at j·4:   f32, only in a table with weights
 * </pre>
 * Only one thread at a time may fill the table. Until a call has completed, kernels may read the rows of the call and
 * their entries. Meanwhile, more rows may be added after these rows. If a row has parts ({@link #beginPart()}), the
 * first entry of the row begins a part.
 * <p>
 * The table keeps the largest row number that its entries use in each region. Kernels can therefore check a call
 * without reading the entries. The check covers all rows of the table, even if the call uses only some of them.
 */
public final class RowTable
{
    /** Number of bytes of a row of the table: a row number and the index of the first entry. */
    public static final int ROW_STRIDE = 2 * Integer.BYTES;

    /** Byte offset, within a row of the table, of the index of the row's first entry. */
    public static final int FIRST_ENTRY_OFFSET = Integer.BYTES;

    /** Number of bytes of an entry. */
    public static final int ENTRY_STRIDE = 2 * Integer.BYTES;

    /** Byte offset, within an entry, of the word that holds the region and the mark {@link #BEGINS_PART}. */
    public static final int REGION_OFFSET = Integer.BYTES;

    /** Bit that marks the first entry of a part. The bit is in the word that holds the region of the entry. */
    public static final int BEGINS_PART = 1 << Short.SIZE;

    /** Number of bytes of a weight. */
    public static final int WEIGHT_STRIDE = Float.BYTES;

    /** Largest number of regions. The index of a region has 16 bits. */
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
     * Creates a table in given memory.
     *
     * @param memory        direct buffer with at least as many bytes as {@link #bytes} returns; the table keeps a
     *                      reference to it.
     * @param rowCapacity   largest number of rows.
     * @param entryCapacity largest number of entries of all rows together.
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
     * Returns the memory that a table needs.
     *
     * @param rowCapacity   largest number of rows, not negative.
     * @param entryCapacity largest number of entries, not negative.
     * @param isWeighted    whether entries have weights.
     * @return number of bytes.
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
     * Removes all rows and entries.
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
     * Begins a row. Entries that are added from now on belong to it.
     *
     * @param row for a reduction, number of the target row and of the bias rows; for a scatter, number of the source
     *            row. The number is not negative.
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
     * Begins a part of the last row. The entries of the part are summed separately before their sum is added to the
     * row. A part without entries has no effect. Scatters ignore parts.
     *
     * @throws IllegalStateException if the row already has entries that belong to no part.
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
     * Adds an entry to the last row. In a table with weights, the weight of the entry is 1.
     *
     * @param region index of a source region of the {@link Reduction}, or of a target region of the {@link RowScatter}.
     * @param row    number of the row in that region, not negative.
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
     * Adds an entry with a weight to the last row.
     *
     * @param region index of a source region of the {@link Reduction}.
     * @param row    number of the row in that region, not negative.
     * @param weight weight, which only weighted reductions use.
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
     * Informs the table that its whole content was written directly into {@link #memory()}, e.g. by a fast loop,
     * instead of by methods of this class. This method itself writes the total number of entries into the memory,
     * behind the last row. {@link #noteNamed} must be called afterwards for each region that entries use. The last
     * three arguments are not checked: if one is wrong, sums may be wrong, or kernels may access memory outside the
     * regions.
     *
     * @param rowCount         number of rows in the table.
     * @param entryCount       number of entries in the table.
     * @param newGreatestRow   largest row number of the table's rows (not of the entries), −1 if there are no rows.
     * @param newMostEntries   largest number of entries of one row.
     * @param isAnyPartBegun   whether any entry begins a part.
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
     * Informs the table that entries which were written directly into {@link #memory()} use rows of a region.
     *
     * @param region index of the region.
     * @param row    largest row number that these entries use in the region, or any larger number.
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
     * Returns the number of rows.
     *
     * @return number of rows.
     */
    public int rows()
    {
        return rows;
    }

    /**
     * Returns the number of entries of all rows.
     *
     * @return number of entries.
     */
    public int entries()
    {
        return entries;
    }

    /**
     * Returns the number of rows that the table can hold.
     *
     * @return capacity.
     */
    public int rowCapacity()
    {
        return rowCapacity;
    }

    /**
     * Returns the number of entries that the table can hold.
     *
     * @return capacity.
     */
    public int entryCapacity()
    {
        return entryCapacity;
    }

    /**
     * Returns whether entries have weights.
     *
     * @return true for a table from {@link RowKernels#allocateWeightedTable}.
     */
    public boolean isWeighted()
    {
        return isWeighted;
    }

    /**
     * Returns the number of a row.
     *
     * @param index index of the row in the table.
     * @return number of the row.
     */
    public int row(final int index)
    {
        return memory.getInt(index * ROW_STRIDE);
    }

    /**
     * Returns the index of the first entry of a row.
     *
     * @param index index of the row in the table, in [0, {@link #rows()}]. For {@link #rows()}, the result is the
     *              number of entries.
     * @return index of an entry.
     */
    public int firstEntry(final int index)
    {
        return memory.getInt(index * ROW_STRIDE + FIRST_ENTRY_OFFSET);
    }

    /**
     * Returns the number of entries of a row.
     *
     * @param index index of the row in the table.
     * @return number of entries, may be 0.
     */
    public int entryCount(final int index)
    {
        return firstEntry(index + 1) - firstEntry(index);
    }

    /**
     * Returns the region of an entry.
     *
     * @param entry index of the entry.
     * @return index of the region.
     */
    public int region(final int entry)
    {
        return memory.getInt(entriesBase + entry * ENTRY_STRIDE + REGION_OFFSET) & REGION_MASK;
    }

    /**
     * Returns the row of an entry.
     *
     * @param entry index of the entry.
     * @return number of the row in the entry's region.
     */
    public int entryRow(final int entry)
    {
        return memory.getInt(entriesBase + entry * ENTRY_STRIDE);
    }

    /**
     * Returns whether an entry begins a part.
     *
     * @param entry index of the entry.
     * @return true for the first entry of a part.
     */
    public boolean beginsPart(final int entry)
    {
        return memory.getInt(entriesBase + entry * ENTRY_STRIDE + REGION_OFFSET) >= BEGINS_PART;
    }

    /**
     * Returns the weight of an entry.
     *
     * @param entry index of the entry.
     * @return weight, 1 in a table without weights.
     */
    public float weight(final int entry)
    {
        return isWeighted ? memory.getFloat(weightsBase + entry * WEIGHT_STRIDE) : 1.0f;
    }

    /**
     * Returns the largest row number of the table's rows. The row numbers of entries do not count.
     *
     * @return row number, −1 if there are no rows.
     */
    public int greatestRow()
    {
        return greatestRow;
    }

    /**
     * Returns one more than the largest region index that entries use.
     *
     * @return number of regions, 0 if there are no entries.
     */
    public int regions()
    {
        return regions;
    }

    /**
     * Returns the largest row number that entries use in a region.
     *
     * @param region index of the region, in [0, {@link #regions()}).
     * @return row number, −1 if no entry uses the region.
     */
    public int greatestRow(final int region)
    {
        return greatestRows[region];
    }

    /**
     * Returns the largest number of entries of one row.
     *
     * @return number of entries.
     */
    public int mostEntries()
    {
        return mostEntries;
    }

    /**
     * Returns whether any row has parts.
     *
     * @return true if an entry begins a part.
     */
    public boolean hasParts()
    {
        return hasParts;
    }

    /**
     * Returns where the entries begin in {@link #memory()}.
     *
     * @return offset in bytes.
     */
    public int entriesOffset()
    {
        return entriesBase;
    }

    /**
     * Returns where the weights begin in {@link #memory()}, if the table has weights.
     *
     * @return offset in bytes.
     */
    public int weightsOffset()
    {
        return weightsBase;
    }

    /**
     * Returns the memory of the table, for native code.
     *
     * @return direct buffer in native byte order.
     */
    public ByteBuffer memory()
    {
        return memory;
    }
}
