/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import java.time.Duration;

/**
 * What is fixed for the life of a session, and equal on all ranks but for the own rank. Made by a {@link Builder}.
 *
 * @param ranks      P, in [1, 4096].
 * @param ownRank    in [0, P).
 * @param maxTokens  M, most tokens of a call of one rank, in [1, 65535]; P·M is below 2<sup>24</sup>.
 * @param maxHidden  most elements of a row, a multiple of 128.
 * @param maxExperts most experts E of a call.
 * @param maxTopk    most selections of a token.
 * @param blocks     B, words by which a rank tells each peer that its part of a step is done, in [1, 1024]: one for
 *                   each block of a kernel.
 * @param timeoutNs how long a rank that is waited for may be silent before it is masked.
 * @param firstCall  number of the call before the first one, not negative: 0 unless the session joins others, which
 *                   have made that many calls.
 */
public record StepShape(
    int ranks, int ownRank, int maxTokens, int maxHidden, int maxExperts, int maxTopk, int blocks, long timeoutNs,
    long firstCall)
{
    /** Bits of a row number in a start word: P·M rows of an expert fit in. */
    public static final int ROW_BITS = 24;

    /** Signs of life that a waiting rank gives in a timeout. */
    public static final int SIGNS_A_TIMEOUT = 4;

    /** Timeouts that a wait lasts at most, whatever signs of life come. */
    public static final int LONGEST_WAIT = 8;

    private static final int MAX_RANKS = 4096;
    private static final int MAX_BLOCKS = 1024;
    private static final int MAX_TOKENS = 0xFFFF;

    /** Checks ranges. */
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
     * Of a world.
     *
     * @param ranks   P.
     * @param ownRank of the session.
     * @return builder, with one token, 128 elements, an expert a rank, one selection, one block and timeout of 10 s.
     */
    public static Builder of(final int ranks, final int ownRank)
    {
        return new Builder(ranks, ownRank);
    }

    /**
     * Most local experts of a rank.
     *
     * @return ⌈maxExperts / ranks⌉.
     */
    public int localExperts()
    {
        return localExperts(maxExperts);
    }

    /**
     * Local experts of a rank in a call.
     *
     * @param experts E of the call.
     * @return L = ⌈E/P⌉.
     */
    public int localExperts(final int experts)
    {
        return (experts + ranks - 1) / ranks;
    }

    /**
     * Rows of a local expert in an output.
     *
     * @return R = P·M.
     */
    public int expertRows()
    {
        return ranks * maxTokens;
    }

    /** Sets what differs from the defaults. */
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
         * Most tokens.
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
         * Widest row.
         *
         * @param value elements.
         * @return this.
         */
        public Builder maxHidden(final int value)
        {
            maxHidden = value;
            return this;
        }

        /**
         * Most experts.
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
         * Most selections of a token.
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
         * Blocks of a step.
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
         * How long a rank may be silent.
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
         * Calls that were made before.
         *
         * @param value number.
         * @return this.
         */
        public Builder firstCall(final long value)
        {
            firstCall = value;
            return this;
        }

        /**
         * The shape.
         *
         * @return shape.
         * @throws IllegalArgumentException naming what is out of range.
         */
        public StepShape build()
        {
            return new StepShape(
                ranks, ownRank, maxTokens, maxHidden, maxExperts, maxTopk, blocks, timeoutNs, firstCall);
        }
    }
}
