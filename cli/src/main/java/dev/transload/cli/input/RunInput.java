/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.input;

import dev.transload.reference.ReferenceWorld;

/**
 * What all ranks of a run send, checked.
 *
 * @param world   routing of all ranks.
 * @param experts E before padding.
 * @param topk    K.
 * @param hidden  elements of a row.
 * @param isFp8   rows are FP8 with scales, else BF16.
 * @param rows    of all ranks.
 * @param origin  for the report, e.g. a file's name.
 */
public record RunInput(
    ReferenceWorld world, int experts, int topk, int hidden, boolean isFp8, RowSource rows, String origin)
    implements AutoCloseable
{
    /** Tokens of all ranks. */
    public int tokens()
    {
        int tokens = 0;
        for (int rank = 0; rank < world.ranks(); rank++)
        {
            tokens += world.routing(rank).tokens();
        }

        return tokens;
    }

    /**
     * The same routing of other rows: every element has the other sign.
     *
     * @return input over the same source of rows, which only this one closes.
     */
    public RunInput negated()
    {
        return new RunInput(world, experts, topk, hidden, isFp8, new NegatedRows(rows), origin);
    }

    @Override
    public void close()
    {
        rows.close();
    }
}
