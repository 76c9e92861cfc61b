/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.util.Collection;
import java.util.Optional;
import java.util.TreeSet;

/** Finds the known name that is most similar to an unknown name, for error messages that suggest it. */
public final class NearestName
{
    /** A name of this many characters more may have one mistake more. */
    private static final int LENGTH_PER_MISTAKE = 4;

    /** Beyond that nobody mistyped a name, and comparing would take long. */
    private static final int LONGEST = 200;

    private NearestName()
    {
    }

    /**
     * Finds the known name that is most similar to an unknown name.
     *
     * @param given unknown name.
     * @param known known names. Of several equally similar names, the first one in alphabetical order is chosen.
     * @return known name that differs from {@code given} by the fewest missing, added, changed or swapped characters.
     *         Empty if every known name differs by more than 1 + n/4 characters, where n is the number of characters of
     *         {@code given}.
     */
    public static Optional<String> of(final String given, final Collection<String> known)
    {
        String nearest = null;
        int least = 2 + given.length() / LENGTH_PER_MISTAKE;
        for (final String name : given.length() > LONGEST ? new TreeSet<String>() : new TreeSet<>(known))
        {
            if (Math.abs(name.length() - given.length()) < least)
            {
                final int mistakes = mistakes(given, name);
                if (mistakes < least)
                {
                    least = mistakes;
                    nearest = name;
                }
            }
        }

        return Optional.ofNullable(nearest);
    }

    /**
     * Returns the text that an error message appends to suggest a known name.
     *
     * @param given  unknown name.
     * @param known  known names.
     * @param prefix text before the known name in the suggestion.
     * @return {@code "; did you mean NAME?"}, or empty text if no name is similar.
     */
    public static String question(final String given, final Collection<String> known, final String prefix)
    {
        return of(given, known).map((name) -> "; did you mean " + prefix + name + "?").orElse("");
    }

    /** Edit distance with swaps of neighbours (optimal string alignment), by rows of its table. */
    private static int mistakes(final String from, final String to)
    {
        int[] beforeLast = new int[to.length() + 1];
        int[] last = new int[to.length() + 1];
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++)
        {
            last[j] = j;
        }

        for (int i = 1; i <= from.length(); i++)
        {
            row[0] = i;
            for (int j = 1; j <= to.length(); j++)
            {
                final boolean isSame = from.charAt(i - 1) == to.charAt(j - 1);
                row[j] = Math.min(Math.min(row[j - 1], last[j]) + 1, last[j - 1] + (isSame ? 0 : 1));
                if (i > 1 && j > 1 && from.charAt(i - 1) == to.charAt(j - 2) && from.charAt(i - 2) == to.charAt(j - 1))
                {
                    row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
                }
            }

            final int[] oldest = beforeLast;
            beforeLast = last;
            last = row;
            row = oldest;
        }

        return last[to.length()];
    }
}
