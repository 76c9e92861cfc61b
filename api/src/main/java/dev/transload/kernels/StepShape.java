/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import java.time.Duration;

/**
 * Parameters of a session. The parameters are fixed, and all parameters except {@code ownRank} and {@code firstCall}
 * are equal on all ranks. A {@link Builder} creates a shape.
 *
 * @param ranks      P, number of ranks, in [1, 4096].
 * @param ownRank    number of this rank, in [0, P).
 * @param maxTokens  M, largest number of tokens that one rank has in a call, in [1, 65535]; P·M is below
 *                   2<sup>24</sup>.
 * @param maxHidden  largest number of elements of a row, a multiple of 128.
 * @param maxExperts largest number of experts E of a call.
 * @param maxTopk    largest number of selections of a token.
 * @param blocks     B, number of blocks of a kernel, in [1, 1024]. Each block stores a word of its own at each peer
 *                   when its part of a step is complete.
 * @param timeoutNs  number of nanoseconds for which a rank may send nothing while other ranks wait for it. After this
 *                   time, the rank is masked.
 * @param firstCall  number of calls that the sessions of the other ranks made before this session joined them, not
 *                   negative. The number is 0 if all sessions begin together.
 */
public record StepShape(
    int ranks, int ownRank, int maxTokens, int maxHidden, int maxExperts, int maxTopk, int blocks, long timeoutNs,
    long firstCall)
{
    /** Number of bits of a row number in a start word. An expert has fewer than 2^24 rows. */
    public static final int ROW_BITS = 24;

    /** Number of signs of life that a waiting rank sends in one timeout. */
    public static final int SIGNS_A_TIMEOUT = 4;

    /** Longest wait for a rank as a multiple of the timeout, even if signs of life arrive. */
    public static final int LONGEST_WAIT = 8;

    private static final int MAX_RANKS = 4096;
    private static final int MAX_BLOCKS = 1024;
    private static final int MAX_TOKENS = 0xFFFF;

    /** Checks the ranges of all values. */
    public StepShape
    {
        within("ranks", ranks, 1, MAX_RANKS);
        within("ownRank", ownRank, 0, ranks - 1L);
        within("maxTokens", maxTokens, 1, Math.min(MAX_TOKENS, ((1L << ROW_BITS) - 1) / ranks));
        within("maxHidden", maxHidden, Fp8.GROUP, Integer.MAX_VALUE);
        within("maxExperts", maxExperts, 1, Integer.MAX_VALUE);
        within("maxTopk", maxTopk, 1, Byte.MAX_VALUE + 1L);
        within("blocks", blocks, 1, MAX_BLOCKS);
        within("timeoutNs", timeoutNs, 1, Long.MAX_VALUE / 2);
        within("firstCall", firstCall, 0, Long.MAX_VALUE / 2);
        if (0 != maxHidden % Fp8.GROUP)
        {
            throw new IllegalArgumentException("maxHidden = " + maxHidden + " is not allowed: must be a multiple of " +
                Fp8.GROUP);
        }
    }

    private static void within(final String name, final long value, final long least, final long most)
    {
        if (value < least || value > most)
        {
            throw new IllegalArgumentException(
                name + " = " + value + " is not allowed: must be in [" + least + ", " + most + "]");
        }
    }

    /**
     * Creates a builder for sessions of a world.
     *
     * @param ranks   P, number of ranks.
     * @param ownRank number of this rank.
     * @return builder with these defaults: one token, 128 elements, one expert for each rank, one selection, one block
     *         and a timeout of 10 s.
     */
    public static Builder of(final int ranks, final int ownRank)
    {
        return new Builder(ranks, ownRank);
    }

    /**
     * Returns the largest number of local experts of a rank.
     *
     * @return ⌈maxExperts / ranks⌉.
     */
    public int localExperts()
    {
        return localExperts(maxExperts);
    }

    /**
     * Returns the number of local experts of a rank in a call.
     *
     * @param experts E, number of experts of the call.
     * @return L = ⌈E/P⌉.
     */
    public int localExperts(final int experts)
    {
        return (experts + ranks - 1) / ranks;
    }

    /**
     * Returns the number of rows of a local expert in an output.
     *
     * @return R = P·M.
     */
    public int expertRows()
    {
        return ranks * maxTokens;
    }

    /** Builds a shape from defaults and the values that are set. */
    public static final class Builder
    {
        private final int ranks;
        private final int ownRank;
        private int maxTokens = 1;
        private int maxHidden = Fp8.GROUP;
        private int maxExperts;
        private int maxTopk = 1;
        private int blocks = 1;
        private long timeoutNs = Duration.ofSeconds(10).toNanos();
        private long firstCall;

        Builder(final int ranks, final int ownRank)
        {
            this.ranks = ranks;
            this.ownRank = ownRank;
            this.maxExperts = ranks;
        }

        /**
         * Sets the largest number of tokens that one rank has in a call.
         *
         * @param value M.
         * @return this.
         */
        public Builder maxTokens(final int value)
        {
            maxTokens = value;
            return this;
        }

        /**
         * Sets the largest number of elements of a row.
         *
         * @param value number of elements.
         * @return this.
         */
        public Builder maxHidden(final int value)
        {
            maxHidden = value;
            return this;
        }

        /**
         * Sets the largest number of experts of a call.
         *
         * @param value E.
         * @return this.
         */
        public Builder maxExperts(final int value)
        {
            maxExperts = value;
            return this;
        }

        /**
         * Sets the largest number of selections of a token.
         *
         * @param value K.
         * @return this.
         */
        public Builder maxTopk(final int value)
        {
            maxTopk = value;
            return this;
        }

        /**
         * Sets the number of blocks of a step.
         *
         * @param value B.
         * @return this.
         */
        public Builder blocks(final int value)
        {
            blocks = value;
            return this;
        }

        /**
         * Sets how long a rank may send nothing before it is masked.
         *
         * @param value nanoseconds.
         * @return this.
         */
        public Builder timeoutNs(final long value)
        {
            timeoutNs = value;
            return this;
        }

        /**
         * Sets the number of calls that the sessions of the other ranks have already made.
         *
         * @param value number of calls.
         * @return this.
         */
        public Builder firstCall(final long value)
        {
            firstCall = value;
            return this;
        }

        /**
         * Builds the shape.
         *
         * @return shape.
         * @throws IllegalArgumentException if a value is out of range; the message names the value.
         */
        public StepShape build()
        {
            return new StepShape(
                ranks, ownRank, maxTokens, maxHidden, maxExperts, maxTopk, blocks, timeoutNs, firstCall);
        }
    }
}
