/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import dev.transload.spi.WorkQueue;

/**
 * A queue of row operations on one kind of memory, executed in order of submission and perhaps later (rules KRN).
 * <p>
 * Every operation returns the new {@link #position()} or {@link #BACK_PRESSURED}; it never blocks and never allocates.
 * Its lists and source rows must stay as they are, and its target rows are undefined, until
 * {@link #completedPosition()} reaches the returned position. Regions are of {@link #kind()}, or HOST regions which
 * this kind's device can reach. Misuse (range, type, kind) throws before anything is submitted. Owned by the
 * first thread that submits; lists may be allocated by another before that.
 */
public interface RowKernels extends WorkQueue, AutoCloseable
{
    /** No room in the queue: call {@link #progress()} and retry. */
    long BACK_PRESSURED = -1;

    /**
     * Kind of memory.
     *
     * @return kind.
     */
    MemoryKind kind();

    /**
     * A list of rows in memory that the kernels' device can read.
     *
     * @param capacity in rows.
     * @return a list for {@link #copyRows} and the casts.
     */
    RowList allocateRows(int capacity);

    /**
     * A table without weights, in memory that the kernels' device can read.
     *
     * @param rowCapacity   most rows.
     * @param entryCapacity most entries of all rows.
     * @return a table for {@link #reduceRows} and {@link #scatterRows}.
     */
    RowTable allocateTable(int rowCapacity, int entryCapacity);

    /**
     * A table whose entries have weights.
     *
     * @param rowCapacity   most rows.
     * @param entryCapacity most entries of all rows.
     * @return a table for {@link #reduceRows} and {@link #scatterRows}.
     */
    RowTable allocateWeightedTable(int rowCapacity, int entryCapacity);

    /**
     * Copy rows [from, from + count) of the list: gather, scatter or both. Source and target rows do not overlap.
     *
     * @param src  region of the list's source offsets.
     * @param dst  region of the list's target offsets.
     * @param rows offsets and row length in bytes.
     * @param from first row.
     * @param count of rows, may be 0.
     * @return new position or {@link #BACK_PRESSURED}.
     */
    long copyRows(MemoryRegion src, MemoryRegion dst, RowList rows, int from, int count);

    /**
     * Copy the rows of several lists, between several regions, by one operation (rule KRN-18).
     *
     * @param copies parts, perhaps none; copied on submission.
     * @return new position or {@link #BACK_PRESSURED}.
     */
    long copyRows(RowCopies copies);

    /**
     * Whether the parts of {@link #copyRows(RowCopies)} are copied at once, as by one launch, and not one after the
     * other: then one operation is sooner done than an operation for each part.
     *
     * @return always the same.
     */
    default boolean hasParallelParts()
    {
        return false;
    }

    /**
     * Steps of decode calls that the device of these kernels does by itself.
     *
     * @return always the same; null where there are none.
     */
    default StepKernels steps()
    {
        return null;
    }

    /**
     * Set the target rows [from, from + count) of the list to zero bytes.
     *
     * @param dst   region of the list's target offsets.
     * @param rows  offsets (sources ignored) and row length in bytes.
     * @param from  first row.
     * @param count of rows, may be 0.
     * @return new position or {@link #BACK_PRESSURED}.
     */
    long zeroRows(MemoryRegion dst, RowList rows, int from, int count);

    /**
     * Sum the entries of rows [from, from + count) of the table into these, in the arithmetic that {@link Reduction}
     * states. A row may be one of its own entries or biases only if the types are equal.
     *
     * @param reduction regions, types, row length; copied on submission.
     * @param table     rows, and what is summed into them.
     * @param from      first row.
     * @param count     of rows, may be 0.
     * @return new position or {@link #BACK_PRESSURED}.
     */
    long reduceRows(Reduction reduction, RowTable table, int from, int count);

    /**
     * Copy rows [from, from + count) of the table to all of their entries, the mirror of {@link #reduceRows}: each row
     * is read once. No target row overlaps another one, or a source row.
     *
     * @param scatter regions and row lengths; copied on submission.
     * @param table   rows, and where they are copied to.
     * @param from    first row.
     * @param count   of rows, may be 0.
     * @return new position or {@link #BACK_PRESSURED}.
     */
    long scatterRows(RowScatter scatter, RowTable table, int from, int count);

    /**
     * Cast BF16 rows to FP8 E4M3 with one F32 scale for each 128 elements.
     *
     * @param src       region of BF16 rows: {@code rows.srcOffset}.
     * @param dst       region of FP8 rows: {@code rows.dstOffset}.
     * @param rows      offsets of rows; the row length is not used.
     * @param scales    region of F32 scales: {@code scaleRows.dstOffset}, hidden/128 a row.
     * @param scaleRows offsets of the scales; the row length is not used.
     * @param from      first row in both lists.
     * @param count     of rows, may be 0.
     * @param hidden    elements of a row, a positive multiple of 128.
     * @param format    of the scales.
     * @return new position or {@link #BACK_PRESSURED}.
     */
    long quantizeRows(
        MemoryRegion src, MemoryRegion dst, RowList rows, MemoryRegion scales, RowList scaleRows, int from, int count,
        int hidden, ScaleFormat format);

    /**
     * Cast FP8 E4M3 rows to BF16: {@code BF16(q · scale)}, the product in F32.
     *
     * @param src       region of FP8 rows: {@code rows.srcOffset}.
     * @param dst       region of BF16 rows: {@code rows.dstOffset}.
     * @param rows      offsets of rows; the row length is not used.
     * @param scales    region of F32 scales: {@code scaleRows.srcOffset}, hidden/128 a row.
     * @param scaleRows offsets of the scales; the row length is not used.
     * @param from      first row in both lists.
     * @param count     of rows, may be 0.
     * @param hidden    elements of a row, a positive multiple of 128.
     * @return new position or {@link #BACK_PRESSURED}.
     */
    long dequantizeRows(
        MemoryRegion src, MemoryRegion dst, RowList rows, MemoryRegion scales, RowList scaleRows, int from, int count,
        int hidden);

    /**
     * Let later operations start only after a foreign event happened.
     *
     * @param event of this kind's device.
     * @return new position or {@link #BACK_PRESSURED}.
     */
    long waitFor(ForeignEvent event);

    /**
     * Record a foreign event once all earlier operations completed.
     *
     * @param event of this kind's device.
     * @return new position or {@link #BACK_PRESSURED}.
     */
    long record(ForeignEvent event);

    /**
     * Advance the queue where that takes a thread.
     *
     * @return work done; 0 means the caller may idle.
     */
    int progress();

    /** Waits for submitted operations and frees what was allocated here. */
    @Override
    void close();
}
