/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.kernels.RowCopies;
import dev.transload.kernels.RowGates;
import dev.transload.kernels.RowKernels;
import java.util.Arrays;

/**
 * Packing by one operation that is submitted before the rows have come, and waits for them on the device: its parts are
 * opened source by source. It may end without some, which are then packed by an operation of their own.
 */
final class GatedPacking
{
    private final RowKernels kernels;
    /** Null where kernels have none. */
    private final RowGates gates;
    private final RowCopies copies = new RowCopies();
    /** By source: bits of its parts. */
    private final int[] parts;
    private int arrived;
    private long position;
    private boolean isInUse;
    private boolean isSubmitted;

    GatedPacking(final int ranks, final RowKernels kernels)
    {
        this.kernels = kernels;
        this.gates = kernels.gates();
        this.parts = new int[ranks];
    }

    /**
     * A dispatch begins.
     *
     * @param isWanted      whether its rows should be packed so.
     * @param partsOfSource at most; all sources' must fit into one operation.
     */
    void begin(final boolean isWanted, final int partsOfSource)
    {
        end();
        isInUse = isWanted && null != gates && parts.length * partsOfSource <= RowCopies.MAX_PARTS;
        copies.clear();
        Arrays.fill(parts, 0);
    }

    /** Rows that it has not packed are packed otherwise. */
    void end()
    {
        isInUse = false;
        isSubmitted = false;
    }

    /** Whether rows are packed by this. */
    boolean isInUse()
    {
        return isInUse;
    }

    boolean isSubmitted()
    {
        return isSubmitted;
    }

    /** What is added from here on is of a source. */
    RowCopies partsOf(final int source)
    {
        parts[source] = -1 << copies.parts();
        return copies;
    }

    /** All parts of a source were added. */
    void endOf(final int source)
    {
        parts[source] &= (1 << copies.parts()) - 1;
    }

    /** False where it was refused, or where there is nothing to pack, so that it ends here. */
    boolean submit()
    {
        if (0 == copies.parts())
        {
            end();
            return false;
        }

        position = gates.copyRows(copies);
        isSubmitted = position >= 0;
        arrived = 0;
        copies.clear();
        return isSubmitted;
    }

    /** The rows of a source are there. */
    void arrived(final int source)
    {
        arrived |= parts[source];
    }

    /** Open the parts of those that have arrived. */
    void openArrived()
    {
        if (0 != arrived)
        {
            gates.open(arrived);
            arrived = 0;
        }
    }

    /** It need not wait for what is not open. */
    void leave()
    {
        if (isSubmitted && kernels.completedPosition() < position)
        {
            gates.leave();
        }
    }

    /** Whether it has ended, so that {@link #hasCopied} tells. */
    boolean hasEnded()
    {
        return isSubmitted && kernels.completedPosition() >= position;
    }

    boolean hasCopied(final int source)
    {
        return 0 == (parts[source] & ~gates.copied());
    }
}
