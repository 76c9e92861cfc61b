/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.RowTable;

/** Whether what a table knows of its rows is so: code that writes one by address says it, and kernels believe it. */
final class TableNotes
{
    private TableNotes()
    {
    }

    /** Of the rows of a call, which are within the table. */
    static void check(final RowTable table, final int from, final int count)
    {
        for (int i = from; i < from + count; i++)
        {
            final int first = table.firstEntry(i);
            final int end = table.firstEntry(i + 1);
            require(first >= 0 && first <= end && end <= table.entries(), i, "entries [" + first + ", " + end + ")");
            require(table.row(i) <= table.greatestRow(), i, "number " + table.row(i));
            require(end - first <= table.mostEntries(), i, (end - first) + " entries");
            for (int entry = first; entry < end; entry++)
            {
                require(table.region(entry) < table.regions() &&
                    table.entryRow(entry) <= table.greatestRow(table.region(entry)), i,
                    "an entry for row " + table.entryRow(entry) + " of region " + table.region(entry));
                require(!table.beginsPart(entry) || table.hasParts(), i, "a part");
            }
        }
    }

    private static void require(final boolean isKnown, final int index, final String what)
    {
        if (!isKnown)
        {
            throw new IllegalStateException("row " + index + " of the table has " + what +
                ", which the table does not know of: must be noted where it is written by address");
        }
    }
}
