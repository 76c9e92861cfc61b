/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowTable;
import dev.transload.spi.MemoryRegion;

/** The two-level combine of the reference vectors: rows [T, N, G, H] summed over local ranks, then over nodes. */
final class CombineVectors
{
    private final KernelsCase test;
    private final MemoryRegion rows;
    private final byte[] present;
    private final MemoryRegion bias0;
    private final MemoryRegion bias1;
    private final int tokens;
    private final int nodes;
    private final int locals;
    private final int hidden;

    CombineVectors(final KernelsCase test, final Vectors vectors)
    {
        this.test = test;
        final int[] shape = vectors.get("rows").shape();
        tokens = shape[0];
        nodes = shape[1];
        locals = shape[2];
        hidden = shape[3];
        rows = test.filled(vectors.get("rows").bytes());
        present = vectors.get("present").bytes();
        bias0 = test.filled(vectors.get("bias0").bytes());
        bias1 = test.filled(vectors.get("bias1").bytes());
    }

    /** Sums of node 0 alone, in BF16. */
    byte[] oneNode()
    {
        final MemoryRegion target = test.filled(new byte[tokens * hidden * Short.BYTES]);
        final RowTable table = test.kernels.allocateTable(tokens, tokens * locals).clear();
        for (int token = 0; token < tokens; token++)
        {
            table.beginRow(token);
            addPresent(table, token, 0);
        }

        final long rowBytes = (long)hidden * Short.BYTES;
        reduce(new Reduction().source(0, rows, 0, rowBytes, ElementType.BF16)
            .target(target, 0, rowBytes, ElementType.BF16), table);
        return test.read(target);
    }

    /** Partial sums of each node in the type of the wire, summed at home to BF16. */
    byte[] home(final ElementType wire, final boolean biased)
    {
        final int partBytes = hidden * wire.bytes();
        final int rowBytes = hidden * Short.BYTES;
        final MemoryRegion parts = test.filled(new byte[tokens * nodes * partBytes]);
        final RowTable forward = test.kernels.allocateTable(tokens * nodes, tokens * nodes * locals).clear();
        final RowTable home = test.kernels.allocateTable(tokens, tokens * nodes).clear();
        for (int token = 0; token < tokens; token++)
        {
            home.beginRow(token);
            for (int node = 0; node < nodes; node++)
            {
                final int part = token * nodes + node;
                final int before = forward.entries();
                forward.beginRow(part);
                addPresent(forward, token, node);
                if (forward.entries() > before)
                {
                    home.add(0, part);
                }
            }
        }

        final MemoryRegion target = test.filled(new byte[tokens * rowBytes]);
        reduce(new Reduction().source(0, rows, 0, rowBytes, ElementType.BF16)
            .target(parts, 0, partBytes, wire), forward);
        reduce(new Reduction().source(0, parts, 0, partBytes, wire).target(target, 0, rowBytes, ElementType.BF16)
            .biases(biased ? bias0 : null, 0, biased ? bias1 : null, 0, rowBytes), home);
        return test.read(target);
    }

    private void addPresent(final RowTable table, final int token, final int node)
    {
        for (int local = 0; local < locals; local++)
        {
            final int row = (token * nodes + node) * locals + local;
            if (0 != present[row])
            {
                table.add(0, row);
            }
        }
    }

    private void reduce(final Reduction reduction, final RowTable table)
    {
        test.run(() -> test.kernels.reduceRows(reduction.hidden(hidden), table, 0, table.rows()));
    }
}
