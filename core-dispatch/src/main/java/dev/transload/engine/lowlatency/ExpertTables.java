/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import java.util.Arrays;

/**
 * Where the rows of each expert go in one buffer set: learnt for a number of experts and for the ranks that take part,
 * since working it out takes longer than all else that is done for a selection.
 */
final class ExpertTables
{
    /** Lane of an expert whose rank takes no part. */
    static final int NO_LANE = -1;

    /** By expert: rank · C + channel, {@link #NO_LANE} for none. */
    final int[] lane;
    /** By expert: its number at its rank in the upper 32 bits, as a row's header has it. */
    final long[] place;
    /** By expert: where its first slot for this rank is at its rank; nothing for the own rank's. */
    final long[] firstRow;
    /**
     * By expert: which counter numbers the answers of its rank. Those of experts come first, as many as there may be,
     * by which slots are numbered; an expert of the own rank names that again, since its answers are found by slot.
     */
    final int[] answerCounter;
    final int[] counters;
    private final int ownRank;
    private final Slots slots;
    private final PeerLink[] links;
    private final int set;
    private final boolean[] takesPart;
    private int localExperts;

    ExpertTables(final int ownRank, final Slots slots, final PeerLink[] links, final int set)
    {
        final int experts = slots.maxLocalExperts() * slots.ranks();
        this.ownRank = ownRank;
        this.slots = slots;
        this.links = links;
        this.set = set;
        this.lane = new int[experts];
        this.place = new long[experts];
        this.firstRow = new long[experts];
        this.answerCounter = new int[experts];
        this.counters = new int[experts + slots.ranks()];
        this.takesPart = new boolean[slots.ranks()];
    }

    /** Begin a dispatch with the ranks that its lanes address; counters are zero. */
    void begin(final BufferSet used)
    {
        boolean isKnown = localExperts == used.localExperts;
        localExperts = used.localExperts;
        for (int rank = 0; rank < takesPart.length; rank++)
        {
            final boolean is = rank == ownRank || used.lanes.isAddressed(rank);
            isKnown &= is == takesPart[rank];
            takesPart[rank] = is;
        }

        Arrays.fill(counters, 0);
        for (int rank = 0; rank < takesPart.length && !isKnown; rank++)
        {
            learn(rank);
        }
    }

    private void learn(final int rank)
    {
        final int first = rank * localExperts;
        for (int local = 0; local < localExperts; local++)
        {
            lane[first + local] = takesPart[rank] ? rank * slots.channels() + local % slots.channels() : NO_LANE;
            place[first + local] = DispatchMessage.pair(local, 0);
            firstRow[first + local] = rank == ownRank ? 0 : links[rank].remoteRow(set, local, 0);
            answerCounter[first + local] = rank == ownRank ? first + local : lane.length + rank;
        }
    }

    /** Rows for an expert so far. */
    int rows(final int rank, final int localExpert)
    {
        return counters[rank * localExperts + localExpert];
    }
}
