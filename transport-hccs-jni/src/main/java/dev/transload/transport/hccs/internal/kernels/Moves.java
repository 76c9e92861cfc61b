/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.kernels;

import dev.transload.spi.RowList;
import dev.transload.transport.base.RequestArguments;

/** A list of addresses for copies between regions and blocks, read when it is submitted and then free again. */
final class Moves
{
    private RowList list = RequestArguments.rows(0);

    /** Have room for entries, of which none is kept. */
    void reserve(final int entries)
    {
        if (list.capacity() < entries)
        {
            list = RequestArguments.rows(Math.max(entries, 2 * list.capacity()));
        }
    }

    void set(final int index, final long source, final long target)
    {
        list.set(index, source, target);
    }

    RowList list()
    {
        return list;
    }
}
