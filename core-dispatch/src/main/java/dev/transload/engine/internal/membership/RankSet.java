/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.membership;

import java.util.BitSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** An immutable set of ranks. */
public final class RankSet
{
    /** No rank. */
    public static final RankSet NONE = new RankSet(new BitSet());

    private final BitSet bits;

    private RankSet(final BitSet bits)
    {
        this.bits = bits;
    }

    /**
     * The ranks that are given.
     *
     * @return set of them.
     */
    public static RankSet of(final int... ranks)
    {
        final BitSet bits = new BitSet();
        IntStream.of(ranks).forEach(bits::set);
        return new RankSet(bits);
    }

    /**
     * All ranks of a world.
     *
     * @param size of the world.
     * @return ranks from 0 to size - 1.
     */
    public static RankSet all(final int size)
    {
        final BitSet bits = new BitSet(size);
        bits.set(0, size);
        return new RankSet(bits);
    }

    public boolean contains(final int rank)
    {
        return bits.get(rank);
    }

    public boolean containsAll(final RankSet others)
    {
        return others.minus(this).isEmpty();
    }

    public boolean isEmpty()
    {
        return bits.isEmpty();
    }

    public int size()
    {
        return bits.cardinality();
    }

    /**
     * The lowest rank.
     *
     * @return rank, -1 where there is none.
     */
    public int lowest()
    {
        return bits.nextSetBit(0);
    }

    /**
     * The lowest rank that is not below another one.
     *
     * @param from which rank on.
     * @return rank, -1 where there is none.
     */
    public int next(final int from)
    {
        return bits.nextSetBit(from);
    }

    /**
     * The ranks in ascending order.
     *
     * @return stream of them.
     */
    public IntStream stream()
    {
        return bits.stream();
    }

    public RankSet with(final int rank)
    {
        return bits.get(rank) ? this : plus(of(rank));
    }

    public RankSet without(final int rank)
    {
        return bits.get(rank) ? minus(of(rank)) : this;
    }

    public RankSet plus(final RankSet others)
    {
        final BitSet copy = (BitSet)bits.clone();
        copy.or(others.bits);
        return new RankSet(copy);
    }

    public RankSet minus(final RankSet others)
    {
        final BitSet copy = (BitSet)bits.clone();
        copy.andNot(others.bits);
        return new RankSet(copy);
    }

    public RankSet and(final RankSet others)
    {
        final BitSet copy = (BitSet)bits.clone();
        copy.and(others.bits);
        return new RankSet(copy);
    }

    @Override
    public boolean equals(final Object other)
    {
        return other instanceof RankSet && bits.equals(((RankSet)other).bits);
    }

    @Override
    public int hashCode()
    {
        return bits.hashCode();
    }

    /** As messages to people name them, e.g. {@code 1, 3}. */
    @Override
    public String toString()
    {
        return bits.stream().mapToObj(String::valueOf).collect(Collectors.joining(", "));
    }
}
