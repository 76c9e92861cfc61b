/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryKind;

/** Works through rows of a {@link RowTable}: the checks that all such kernels share, and their broken forms. */
abstract class TableOperation extends KernelOperation
{
    final SteppingFabric fabric;
    final MemoryKind kind;
    final RowTable table;
    final int from;
    final int count;

    TableOperation(
        final SteppingFabric fabric, final MemoryKind kind, final RowTable table, final int from, final int count)
    {
        this.fabric = fabric;
        this.kind = kind;
        this.table = table;
        this.from = from;
        this.count = count;
    }

    /** Against the regions that the entries name. */
    abstract void checkTable();

    abstract void checkRow(int index);

    abstract boolean isSet(int region);

    @Override
    final void check()
    {
        if (fabric.has(Fault.KRN_22) && namesUnset())
        {
            return;
        }

        if (!fabric.has(Fault.KRN_20))
        {
            checkTable();
        }

        TableNotes.check(table, from, count);
        for (int i = from; i < from + count; i++)
        {
            checkRow(i);
        }
    }

    private boolean namesUnset()
    {
        for (int region = 0; region < table.regions(); region++)
        {
            if (table.greatestRow(region) >= 0 && region != known(region))
            {
                return true;
            }
        }

        return false;
    }

    /** A broken one takes region 0 for what is not set. */
    final int known(final int region)
    {
        return isSet(region) ? region : 0;
    }

    @Override
    final boolean isEmpty()
    {
        return 0 == count;
    }
}
