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
    /**
     * Tokens of all ranks.
     *
     * @return count.
     */
    public int tokens()
    {
        int tokens = 0;
        for (int rank = 0; rank < world.ranks(); rank++)
        {
            tokens += world.routing(rank).tokens();
        }

        return tokens;
    }

    @Override
    public void close()
    {
        rows.close();
    }
}
