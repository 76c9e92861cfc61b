/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.membership;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Who hears whom, as far as one rank was told: a link is sound if both of its ends hear the other one. Immutable.
 *
 * @param rows by rank, whom it hears; null for a rank that told nothing, which is taken to hear everybody.
 */
record Links(List<RankSet> rows)
{
    static Links unknown(final int size)
    {
        return new Links(Collections.nCopies(size, null));
    }

    Links with(final int rank, final RankSet heard)
    {
        final List<RankSet> changed = new ArrayList<>(rows);
        changed.set(rank, heard);
        return new Links(Collections.unmodifiableList(changed));
    }

    private boolean isSound(final int one, final int other)
    {
        return hears(one, other) && hears(other, one);
    }

    private boolean hears(final int rank, final int other)
    {
        final RankSet row = rows.get(rank);
        return null == row || row.contains(other);
    }

    /**
     * The members that are to go on: all links between them are sound. The one with the most broken links is left out
     * first. Of several, one that has no sound link to the lowest rank goes first, then the one with the highest rank.
     * So a rank that nobody hears goes, and not the many that it hears.
     */
    RankSet survivors(final RankSet members)
    {
        final int[] broken = new int[rows.size()];
        for (int one = members.next(0); one >= 0; one = members.next(one + 1))
        {
            for (int other = members.next(one + 1); other >= 0; other = members.next(other + 1))
            {
                if (!isSound(one, other))
                {
                    broken[one]++;
                    broken[other]++;
                }
            }
        }

        RankSet left = members;
        for (int worst = worst(left, broken); worst >= 0; worst = worst(left, broken))
        {
            left = left.without(worst);
            for (int other = left.next(0); other >= 0; other = left.next(other + 1))
            {
                broken[other] -= isSound(worst, other) ? 0 : 1;
            }
        }

        return left;
    }

    /** -1 where all links are sound. */
    private int worst(final RankSet left, final int[] broken)
    {
        int worst = -1;
        boolean isFar = false;
        for (int rank = left.next(0); rank >= 0; rank = left.next(rank + 1))
        {
            final boolean isFarToo = rank != left.lowest() && !isSound(rank, left.lowest());
            final int more = broken[rank] - (worst < 0 ? 0 : broken[worst]);
            if (more > 0 || more == 0 && worst >= 0 && (isFarToo || !isFar))
            {
                worst = rank;
                isFar = isFarToo;
            }
        }

        return worst;
    }
}
