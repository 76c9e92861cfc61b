/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.kernels.Fp8;
import dev.transload.spi.ConfigurationException;

/**
 * Where rows lie in the memory that peers write to, and which signal tells of them. Offsets follow from the settings
 * alone, so that a rank knows them at its peers. Ranks that write by one stage's transport are its <em>writers</em>,
 * numbered in ascending order of rank; each writes to slots that are its own:
 * <pre>
 * payload: rows    [set][writer][local expert][M]        of {@link #rowStride}
 *          answers [set][writer][M · min(K, L)]          of {@link #answerStride}
 * host:    messages [set][writer][channel]               of {@link #messageStride}
 * signals: [generation][kind][set][rank][channel]
 * </pre>
 * A rank that others have given up may write late: what it writes is its own slots, which nobody reads.
 */
final class Slots
{
    /** Buffer sets, which dispatches take in turn. */
    static final int SETS = 2;

    /** Connections that a pair of ranks can make in turn; each has signals of its own, as signals are never reset. */
    static final int GENERATIONS = 16;

    /** Kind of signal: a dispatch's rows are there, and its message. */
    static final int DISPATCHED = 0;

    /** Kind of signal: a combine's rows are there, and the set's rows at the sender may be written over. */
    static final int ANSWERED = 1;

    /** Kind of signal: a rank that waits lives; only the one of set 0 and channel 0. */
    static final int ALIVE = 2;

    /** Kind of signal: a dispatch's message is there, and its rows are on their way. */
    static final int ANNOUNCED = 3;

    private static final int KINDS = 4;
    private static final int ALIGNMENT = 128;

    private final int ranks;
    private final int maxTokens;
    private final int channels;
    private final int maxLocalExperts;
    private final int maxTopk;
    private final long rowStride;
    private final long answerStride;

    /**
     * Of a world.
     *
     * @param ranks     P.
     * @param maxTokens M.
     * @param maxHidden widest row in elements.
     * @param experts   most experts before padding.
     * @param maxTopk   most selections of a token.
     * @param channels  C.
     */
    Slots(
        final int ranks, final int maxTokens, final int maxHidden, final int experts, final int maxTopk,
        final int channels)
    {
        this.ranks = ranks;
        this.maxTokens = maxTokens;
        this.channels = channels;
        this.maxLocalExperts = (experts + ranks - 1) / ranks;
        this.maxTopk = maxTopk;
        this.rowStride = align(Math.max(bf16Bytes(maxHidden), fp8Bytes(maxHidden)));
        this.answerStride = align(bf16Bytes(maxHidden));
    }

    static Slots of(final LowLatencyConfig config)
    {
        return new Slots(config.common().worldSize(), config.maxTokens(), config.common().maxHidden(),
            config.common().maxExperts(), config.common().maxTopk(), config.channels());
    }

    static long bf16Bytes(final int hidden)
    {
        return 2L * hidden;
    }

    /** Row and scales, one behind the other. */
    static long fp8Bytes(final int hidden)
    {
        return hidden + (long)Fp8.scales(hidden) * Float.BYTES;
    }

    static long align(final long bytes)
    {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    int ranks()
    {
        return ranks;
    }

    int channels()
    {
        return channels;
    }

    int maxTokens()
    {
        return maxTokens;
    }

    int maxTopk()
    {
        return maxTopk;
    }

    int maxLocalExperts()
    {
        return maxLocalExperts;
    }

    /** Rows of an expert in an output. */
    int expertRows()
    {
        return ranks * maxTokens;
    }

    /** Most rows that one rank sends to another. */
    int rowsPerPair()
    {
        return maxTokens * Math.min(maxTopk, maxLocalExperts);
    }

    /** Most experts of a rank whose rows use one channel. */
    int expertsPerChannel()
    {
        return (maxLocalExperts + channels - 1) / channels;
    }

    /** Most rows that one rank sends to another by one channel. */
    int rowsPerLane()
    {
        return maxTokens * Math.min(maxTopk, expertsPerChannel());
    }

    long rowStride()
    {
        return rowStride;
    }

    long row(final int set, final int writer, final int writers, final int localExpert, final int slot)
    {
        return ((((long)set * writers + writer) * maxLocalExperts + localExpert) * maxTokens + slot) * rowStride;
    }

    long answerStride()
    {
        return answerStride;
    }

    long answer(final int set, final int writer, final int writers, final int slot)
    {
        return row(SETS, 0, writers, 0, 0) + (((long)set * writers + writer) * rowsPerPair() + slot) * answerStride;
    }

    long payloadBytes(final int writers)
    {
        return answer(SETS, 0, writers, 0);
    }

    long messageStride()
    {
        return align(DispatchMessage.bytes(expertsPerChannel(), rowsPerLane()));
    }

    long message(final int set, final int writer, final int writers, final int channel)
    {
        return (((long)set * writers + writer) * channels + channel) * messageStride();
    }

    long messageBytes(final int writers)
    {
        return message(SETS, 0, writers, 0);
    }

    /** Refuse a world with more than an index of 32 bits tells apart; of all else there is less than of messages. */
    void requireCountable()
    {
        requireCountable("rows of an output", (long)maxLocalExperts * ranks * maxTokens);
        requireCountable("bytes of messages", messageBytes(ranks));
    }

    private void requireCountable(final String what, final long count)
    {
        if (count > Integer.MAX_VALUE)
        {
            throw new ConfigurationException("a low-latency world of " + ranks + " ranks has " + count + " " + what +
                " at each of them, which is not allowed: must be at most " + Integer.MAX_VALUE + "; lower " +
                "transload.low-latency.max-tokens = " + maxTokens + ", transload.low-latency.channels = " + channels +
                " or transload.max-experts, now " + maxLocalExperts + " a rank");
        }
    }

    int signal(final int generation, final int kind, final int set, final int rank, final int channel)
    {
        return (((generation * KINDS + kind) * SETS + set) * ranks + rank) * channels + channel;
    }

    int signals()
    {
        return signal(GENERATIONS, 0, 0, 0, 0);
    }
}
