/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import dev.transload.spi.WorkQueue;

/**
 * A queue of row operations on one kind of memory. The operations run asynchronously, in order of submission (rules
 * KRN in {@code docs/reference/spi-rules.md}).
 * <p>
 * Every operation returns the new {@link #position()} or {@link #BACK_PRESSURED}; it never blocks and never allocates.
 * Until {@link #completedPosition()} reaches the returned position, the lists and source rows of the operation must not
 * change, and its target rows are undefined. Regions must have the memory kind {@link #kind()}, or be HOST regions that
 * the kernels' device can reach. An operation with a wrong range, type or kind throws an exception before anything is
 * submitted. Only the thread that submits the first operation may use the queue. Before the first operation, another
 * thread may allocate lists.
 */
public interface RowKernels extends WorkQueue, AutoCloseable
{
    /** The queue is full: call {@link #progress()} and retry. */
    long BACK_PRESSURED = -1;

    /**
     * Returns the kind of memory that these kernels work on.
     *
     * @return kind.
     */
    MemoryKind kind();

    /**
     * Allocates a list of rows in memory that the kernels' device can read.
     *
     * @param capacity number of rows.
     * @return list for {@link #copyRows}, {@link #zeroRows}, {@link #quantizeRows} and {@link #dequantizeRows}.
     */
    RowList allocateRows(int capacity);

    /**
     * Allocates a table without weights, in memory that the kernels' device can read.
     *
     * @param rowCapacity   largest number of rows.
     * @param entryCapacity largest number of entries of all rows together.
     * @return table for {@link #reduceRows} and {@link #scatterRows}.
     */
    RowTable allocateTable(int rowCapacity, int entryCapacity);

    /**
     * Allocates a table whose entries have weights, in memory that the kernels' device can read.
     *
     * @param rowCapacity   largest number of rows.
     * @param entryCapacity largest number of entries of all rows together.
     * @return table for {@link #reduceRows} and {@link #scatterRows}.
     */
    RowTable allocateWeightedTable(int rowCapacity, int entryCapacity);

    /**
     * Copies rows [from, from + count) of a list, as a gather, a scatter or both. Source and target rows must not
     * overlap.
     *
     * @param src  region that the source offsets of the list refer to.
     * @param dst  region that the target offsets of the list refer to.
     * @param rows offsets and row length in bytes.
     * @param from index of the first row.
     * @param count number of rows, may be 0.
     * @return new position or {@link #BACK_PRESSURED}.
     */
    long copyRows(MemoryRegion src, MemoryRegion dst, RowList rows, int from, int count);

    /**
     * Copies the rows of several lists, between several regions, in one operation (rule KRN-18).
     *
     * @param copies parts to copy, possibly none. The kernels copy the {@code RowCopies} object on submission.
     * @return new position or {@link #BACK_PRESSURED}.
     */
    long copyRows(RowCopies copies);

    /**
     * Returns whether {@link #copyRows(RowCopies)} copies all parts in parallel, e.g. by one kernel launch. If it does,
     * one operation with several parts is faster than a separate operation for each part.
     *
     * @return true if parts are copied in parallel; every call returns the same value.
     */
    default boolean hasParallelParts()
    {
        return false;
    }

    /**
     * Returns the kernels that run steps of low-latency calls on the device, without the host.
     *
     * @return step kernels, always the same object; null if the device has none.
     */
    default StepKernels steps()
    {
        return null;
    }

    /**
     * Fills the target rows [from, from + count) of a list with zeros.
     *
     * @param dst   region that the target offsets of the list refer to.
     * @param rows  offsets and row length in bytes; source offsets are ignored.
     * @param from  index of the first row.
     * @param count number of rows, may be 0.
     * @return new position or {@link #BACK_PRESSURED}.
     */
    long zeroRows(MemoryRegion dst, RowList rows, int from, int count);

    /**
     * Sums the entries of rows [from, from + count) of a table into these rows. {@link Reduction} defines the
     * arithmetic. The sum of a row may replace one of the row's own entries or biases if that entry or bias has the
     * element type of the sum.
     *
     * @param reduction regions, types and row length. The kernels copy this object on submission.
     * @param table     rows, and the entries to sum into them.
     * @param from      index of the first row.
     * @param count     number of rows, may be 0.
     * @return new position or {@link #BACK_PRESSURED}.
     */
    long reduceRows(Reduction reduction, RowTable table, int from, int count);

    /**
     * Copies each of the rows [from, from + count) of a table to all entries of the row. This is the reverse of
     * {@link #reduceRows}. Each row is read once. A target row must not overlap another target row or a source row.
     *
     * @param scatter regions and row lengths. The kernels copy this object on submission.
     * @param table   rows, and the entries to copy them to.
     * @param from    index of the first row.
     * @param count   number of rows, may be 0.
     * @return new position or {@link #BACK_PRESSURED}.
     */
    long scatterRows(RowScatter scatter, RowTable table, int from, int count);

    /**
     * Casts BF16 rows to FP8 E4M3 with one F32 scale for each group of 128 elements.
     *
     * @param src       region of the BF16 rows, which begin at the source offsets of {@code rows}.
     * @param dst       region of the FP8 rows, which begin at the target offsets of {@code rows}.
     * @param rows      offsets of rows; the row length is not used.
     * @param scales    region of the F32 scales. The hidden/128 scales of a row begin at the target offset that
     *                  {@code scaleRows} gives for the row.
     * @param scaleRows offsets of the scales; the row length is not used.
     * @param from      index of the first row in both lists.
     * @param count     number of rows, may be 0.
     * @param hidden    number of elements of a row, a positive multiple of 128.
     * @param format    format of the scales.
     * @return new position or {@link #BACK_PRESSURED}.
     */
    long quantizeRows(
        MemoryRegion src, MemoryRegion dst, RowList rows, MemoryRegion scales, RowList scaleRows, int from, int count,
        int hidden, ScaleFormat format);

    /**
     * Casts FP8 E4M3 rows to BF16. Each element is multiplied by its scale in F32, and the product is rounded to BF16.
     *
     * @param src       region of the FP8 rows, which begin at the source offsets of {@code rows}.
     * @param dst       region of the BF16 rows, which begin at the target offsets of {@code rows}.
     * @param rows      offsets of rows; the row length is not used.
     * @param scales    region of the F32 scales. The hidden/128 scales of a row begin at the source offset that
     *                  {@code scaleRows} gives for the row.
     * @param scaleRows offsets of the scales; the row length is not used.
     * @param from      index of the first row in both lists.
     * @param count     number of rows, may be 0.
     * @param hidden    number of elements of a row, a positive multiple of 128.
     * @return new position or {@link #BACK_PRESSURED}.
     */
    long dequantizeRows(
        MemoryRegion src, MemoryRegion dst, RowList rows, MemoryRegion scales, RowList scaleRows, int from, int count,
        int hidden);

    /**
     * Lets later operations start only after a foreign event has occurred.
     *
     * @param event event of the kernels' device.
     * @return new position or {@link #BACK_PRESSURED}.
     */
    long waitFor(ForeignEvent event);

    /**
     * Records a foreign event after all earlier operations have completed.
     *
     * @param event event of the kernels' device.
     * @return new position or {@link #BACK_PRESSURED}.
     */
    long record(ForeignEvent event);

    /**
     * Advances submitted operations if operations need a thread to advance.
     *
     * @return amount of work done; 0 means that the caller may idle.
     */
    int progress();

    /** Waits for submitted operations, then frees all lists and tables that these kernels allocated. */
    @Override
    void close();
}
