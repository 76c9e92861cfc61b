/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

/**
 * Copies of rows that are submitted before these are there, so that nothing but the copy itself is left to be done when
 * they come: each part of such an operation waits until it is opened (rules KRN-19 and KRN-20). Of the kernels that
 * give it, in the same queue, by the same thread.
 * <p>
 * A device can do nothing else with what waits on it. So the operation also ends without parts that are not opened in
 * time, which is no failure; {@link #copied()} tells which these are.
 */
public interface RowGates
{
    /**
     * Submit an operation whose parts are closed. Source rows may still change until their part is opened; all else is
     * as {@link RowKernels#copyRows(RowCopies)} says. Later operations of the kernels begin when this one has ended.
     *
     * @param copies parts, at most {@link RowCopies#MAX_PARTS}; copied on submission.
     * @return new position of the kernels or {@link RowKernels#BACK_PRESSURED}.
     * @throws IllegalStateException while the operation before is not complete.
     */
    long copyRows(RowCopies copies);

    /**
     * Open parts of the operation that was submitted last: their source rows are there. These were stored by device
     * work, of peers through windows (rule WIN-3), and acquired; what came by other ways, from a network card say, may
     * not be seen by work that has begun already. Nothing to do for parts that are open; without effect once the
     * operation has ended.
     *
     * @param parts bit i for part i.
     * @throws IllegalStateException where none was submitted.
     */
    void open(int parts);

    /**
     * Have the operation that was submitted last end without the parts that are not open.
     *
     * @throws IllegalStateException where none was submitted.
     */
    void leave();

    /**
     * Which parts the operation that was submitted last has copied; once it is complete.
     *
     * @return bit i for part i: rows of the others are as they were.
     * @throws IllegalStateException while it is not complete, or where none was submitted.
     */
    int copied();
}
