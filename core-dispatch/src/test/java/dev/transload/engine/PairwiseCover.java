/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;

/**
 * Rows that together hold every allowed pair of values of any two factors. Greedy: each new row begins with a pair that
 * is still missing, and then takes for one factor after the other, in random order, the value that adds most pairs.
 */
final class PairwiseCover
{
    private static final int CANDIDATES = 20;

    private final int[] levels;
    private final Predicate<int[]> isAllowed;
    private final Random random;
    private final boolean[][][][] isCovered;

    private PairwiseCover(final int[] levels, final Predicate<int[]> isAllowed, final long seed)
    {
        this.levels = levels;
        this.isAllowed = isAllowed;
        this.random = new Random(seed);
        this.isCovered = new boolean[levels.length][levels.length][][];
        for (int a = 0; a < levels.length; a++)
        {
            for (int b = a + 1; b < levels.length; b++)
            {
                isCovered[a][b] = new boolean[levels[a]][levels[b]];
            }
        }
    }

    /**
     * Compute a cover.
     *
     * @param levels    number of values of each factor.
     * @param isAllowed whether a row, with −1 where it is still open, may be.
     * @param seed      of all choices.
     * @return rows, one value index a factor.
     */
    static List<int[]> of(final int[] levels, final Predicate<int[]> isAllowed, final long seed)
    {
        return new PairwiseCover(levels, isAllowed, seed).rows();
    }

    private List<int[]> rows()
    {
        final List<int[]> rows = new ArrayList<>();
        for (int[] start = missing(); null != start; start = missing())
        {
            int[] best = null;
            for (int i = 0; i < CANDIDATES; i++)
            {
                final int[] candidate = complete(start.clone());
                best = null == best || gain(candidate) > gain(best) ? candidate : best;
            }

            cover(best);
            rows.add(best);
        }

        return rows;
    }

    private int[] missing()
    {
        for (int a = 0; a < levels.length; a++)
        {
            for (int b = a + 1; b < levels.length; b++)
            {
                for (int i = 0; i < levels[a]; i++)
                {
                    for (int j = 0; j < levels[b]; j++)
                    {
                        final int[] row = row(a, i, b, j);
                        if (!isCovered[a][b][i][j] && isAllowed.test(row))
                        {
                            return row;
                        }
                    }
                }
            }
        }

        return null;
    }

    private int[] row(final int a, final int i, final int b, final int j)
    {
        final int[] row = new int[levels.length];
        Arrays.fill(row, -1);
        row[a] = i;
        row[b] = j;
        return row;
    }

    private int[] complete(final int[] row)
    {
        final List<Integer> order = new ArrayList<>();
        for (int factor = 0; factor < levels.length; factor++)
        {
            order.add(random.nextInt(order.size() + 1), factor);
        }

        for (final int factor : order)
        {
            if (row[factor] < 0)
            {
                row[factor] = bestValue(row, factor);
            }
        }

        return row;
    }

    private int bestValue(final int[] row, final int factor)
    {
        int best = -1;
        int bestGain = -1;
        final int first = random.nextInt(levels[factor]);
        for (int i = 0; i < levels[factor]; i++)
        {
            final int[] tried = row.clone();
            tried[factor] = (first + i) % levels[factor];
            if (isAllowed.test(tried) && gain(tried) > bestGain)
            {
                best = tried[factor];
                bestGain = gain(tried);
            }
        }

        if (best < 0)
        {
            throw new IllegalStateException("no value of factor " + factor + " is allowed with the others");
        }

        return best;
    }

    private int gain(final int[] row)
    {
        int gain = 0;
        for (int a = 0; a < row.length; a++)
        {
            for (int b = a + 1; b < row.length && row[a] >= 0; b++)
            {
                gain += row[b] >= 0 && !isCovered[a][b][row[a]][row[b]] ? 1 : 0;
            }
        }

        return gain;
    }

    private void cover(final int[] row)
    {
        for (int a = 0; a < row.length; a++)
        {
            for (int b = a + 1; b < row.length; b++)
            {
                isCovered[a][b][row[a]][row[b]] = true;
            }
        }
    }
}
