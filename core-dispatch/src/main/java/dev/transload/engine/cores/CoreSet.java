/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.cores;

import java.util.BitSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A set of cores of a host. The operating system numbers the cores. Immutable. */
public final class CoreSet
{
    /** The empty set, also used if the cores are not known. */
    public static final CoreSet EMPTY = new CoreSet(new BitSet());

    private static final Pattern RANGE = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");

    private final BitSet cores;

    private CoreSet(final BitSet cores)
    {
        this.cores = cores;
    }

    /**
     * Reads a set of cores in the notation of Linux.
     *
     * @param text numbers and ranges separated by commas, e.g. {@code 0-3,6}; empty for no core.
     * @return set of cores.
     * @throws IllegalArgumentException if the text is not in this notation.
     */
    public static CoreSet parse(final String text)
    {
        final BitSet cores = new BitSet();
        if (!text.isBlank())
        {
            for (final String part : text.split(",", -1))
            {
                final Matcher range = RANGE.matcher(part.strip());
                if (!range.matches())
                {
                    throw new IllegalArgumentException("'" + part + "' is neither a core nor a range of cores");
                }

                final int first = Integer.parseInt(range.group(1));
                final int last = null == range.group(2) ? first : Integer.parseInt(range.group(2));
                if (last < first)
                {
                    throw new IllegalArgumentException("'" + part + "' ends before it begins");
                }

                cores.set(first, last + 1);
            }
        }

        return new CoreSet(cores);
    }

    /** Returns the number of cores in this set. */
    public int size()
    {
        return cores.cardinality();
    }

    /** Returns whether this set has no cores. */
    public boolean isEmpty()
    {
        return cores.isEmpty();
    }

    /** Returns whether this set and another set have a core in common. */
    public boolean intersects(final CoreSet other)
    {
        return cores.intersects(other.cores);
    }

    /** Returns the cores of this set that are not in another set. */
    public CoreSet without(final CoreSet other)
    {
        final BitSet left = (BitSet)cores.clone();
        left.andNot(other.cores);
        return new CoreSet(left);
    }

    /**
     * Divides this set into parts of adjacent cores, of equal size as far as possible, and returns one of the parts. If
     * there are fewer cores than parts, some parts have the same core.
     *
     * @param index  index of the part, in [0, shares).
     * @param shares number of parts.
     * @return part, which has at least one core unless this set is empty.
     */
    public CoreSet share(final int index, final int shares)
    {
        final int[] all = cores.stream().toArray();
        final int from = (int)((long)index * all.length / shares);
        final int to = Math.max(from + 1, (int)((index + 1L) * all.length / shares));
        final BitSet share = new BitSet();
        for (int i = from; i < Math.min(to, all.length); i++)
        {
            share.set(all[i]);
        }

        return new CoreSet(share);
    }

    /**
     * Returns this set as the bit mask that the operating system uses.
     *
     * @return words of 64 bits: core i is bit i mod 64 of word i / 64.
     */
    long[] words()
    {
        return cores.toLongArray();
    }

    @Override
    public boolean equals(final Object other)
    {
        return other instanceof CoreSet && cores.equals(((CoreSet)other).cores);
    }

    @Override
    public int hashCode()
    {
        return cores.hashCode();
    }

    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder();
        for (int first = cores.nextSetBit(0); first >= 0;)
        {
            final int end = cores.nextClearBit(first);
            text.append(text.isEmpty() ? "" : ",").append(first);
            if (end - first > 1)
            {
                text.append('-').append(end - 1);
            }

            first = cores.nextSetBit(end);
        }

        return text.toString();
    }
}
