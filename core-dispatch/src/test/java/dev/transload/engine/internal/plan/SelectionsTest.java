/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What was written is read, in any number of bytes, and again after other rows were. */
class SelectionsTest
{
    private static final int ROWS = 300;

    @ParameterizedTest
    @CsvSource({"1, 1", "8, 256", "8, 257", "9, 65536", "17, 65537"})
    void shouldReadWhatWasWritten(final int topk, final int experts)
    {
        final Random random = new Random(31L * topk + experts);
        final Selections selections = new Selections();
        for (int round = 0; round < 3; round++)
        {
            // Dense rows first: those of later rounds lie in bytes that were written before.
            final double missing = 0.4 * round;
            final List<int[]> written = new ArrayList<>();
            selections.begin(ROWS, topk, experts);
            for (int row = 0; row < ROWS; row++)
            {
                written.add(row(random, topk, experts, missing));
                selections.beginRow();
                for (int k = 0; k < topk; k++)
                {
                    if (written.get(row)[k] >= 0)
                    {
                        selections.add(k, written.get(row)[k]);
                    }
                }
            }

            int at = 0;
            for (final int[] row : written)
            {
                final int[] read = new int[topk];
                at = selections.read(at, read);
                assertArrayEquals(row, read);
            }
        }
    }

    private static int[] row(final Random random, final int topk, final int experts, final double missing)
    {
        final int[] row = new int[topk];
        Arrays.setAll(row, (k) -> random.nextDouble() < missing ? -1 :
            random.nextInt(8) == 0 ? experts - 1 : random.nextInt(experts));
        return row;
    }
}
