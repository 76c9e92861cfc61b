/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.ReductionList;
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
        final ReductionList list = test.kernels.allocateReduction(tokens, tokens * locals).clear();
        for (int token = 0; token < tokens; token++)
        {
            list.beginGroup((long)token * hidden * Short.BYTES, 0, 0);
            addPresent(list, token, 0);
        }

        reduce(new Reduction().source(rows, ElementType.BF16).target(target, ElementType.BF16), list);
        return test.read(target);
    }

    /** Partial sums of each node in the type of the wire, summed at home to BF16. */
    byte[] home(final ElementType wire, final boolean biased)
    {
        final int partBytes = hidden * wire.bytes();
        final int rowBytes = hidden * Short.BYTES;
        final MemoryRegion parts = test.filled(new byte[tokens * nodes * partBytes]);
        final ReductionList forward = test.kernels.allocateReduction(tokens * nodes, tokens * nodes * locals).clear();
        final ReductionList home = test.kernels.allocateReduction(tokens, tokens * nodes).clear();
        for (int token = 0; token < tokens; token++)
        {
            home.beginGroup((long)token * rowBytes, (long)token * rowBytes, (long)token * rowBytes);
            for (int node = 0; node < nodes; node++)
            {
                final long part = (long)(token * nodes + node) * partBytes;
                final int before = forward.sources();
                forward.beginGroup(part, 0, 0);
                addPresent(forward, token, node);
                if (forward.sources() > before)
                {
                    home.addSource(part, 1.0f);
                }
            }
        }

        final MemoryRegion target = test.filled(new byte[tokens * rowBytes]);
        reduce(new Reduction().source(rows, ElementType.BF16).target(parts, wire), forward);
        reduce(new Reduction().source(parts, wire).target(target, ElementType.BF16)
            .biases(biased ? bias0 : null, biased ? bias1 : null), home);
        return test.read(target);
    }

    private void addPresent(final ReductionList list, final int token, final int node)
    {
        for (int local = 0; local < locals; local++)
        {
            final int row = (token * nodes + node) * locals + local;
            if (0 != present[row])
            {
                list.addSource((long)row * hidden * Short.BYTES, 1.0f);
            }
        }
    }

    private void reduce(final Reduction reduction, final ReductionList list)
    {
        test.run(() -> test.kernels.reduceRows(reduction.hidden(hidden), list, 0, list.groups()));
    }
}
