/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import dev.transload.engine.internal.world.Geometry;
import java.util.Arrays;

/**
 * What came to this rank's experts. Rows are numbered rank-major; for expert-major output each row has up to K places,
 * one per selected local expert, which {@link ChannelPlaces} counts out.
 */
public final class ReceiveLayout
{
    private final Geometry geometry;
    private final int[] rankPrefix;
    private final int[] channelStarts;
    private final int[] channelEnds;
    private final int[] streamRows;
    private int localExperts;
    private int topk;
    private int[] counts = new int[0];
    private int[] expertBase = new int[0];
    private int[] rowsPerExpert = new int[0];
    private int[] channelPlaces = new int[0];
    private Selections[] selections = new Selections[0];
    private int expandedRows;

    public ReceiveLayout(final Geometry geometry)
    {
        this.geometry = geometry;
        this.rankPrefix = new int[geometry.world().size()];
        this.channelStarts = new int[geometry.channels() * geometry.world().size()];
        this.channelEnds = new int[geometry.channels() * geometry.world().size()];
        this.streamRows = new int[geometry.channels() * geometry.world().size()];
    }

    /** Make room for counts. */
    public void begin(final int expertsPerRank, final int k)
    {
        localExperts = expertsPerRank;
        topk = k;
        final int ranks = geometry.world().size();
        if (counts.length < ranks * localExperts)
        {
            counts = new int[ranks * localExperts];
        }

        // Absent ranks tell no counts.
        Arrays.fill(rankPrefix, 0);
        Arrays.fill(counts, 0, ranks * localExperts, 0);
        if (rowsPerExpert.length != localExperts)
        {
            rowsPerExpert = new int[localExperts];
            expertBase = new int[localExperts];
        }
    }

    /** Set what a channel brings from a rank; channels ascending. */
    public void streamCount(final int channel, final int rank, final int nodeRows, final int rows)
    {
        final int at = channel * rankPrefix.length + rank;
        streamRows[at] = nodeRows;
        channelStarts[at] = 0 == channel ? 0 : channelEnds[at - rankPrefix.length];
        channelEnds[at] = Math.addExact(channelStarts[at], rows);
        rankPrefix[rank] = channelEnds[at];
    }

    /** Rows of a channel from a source rank to this rank's node. */
    public int streamRows(final int channel, final int rank)
    {
        return streamRows[channel * rankPrefix.length + rank];
    }

    /** Set what a rank sends to a local expert. */
    public void expertCount(final int rank, final int expert, final int rows)
    {
        counts[rank * localExperts + expert] = rows;
    }

    /**
     * All counts are set: sum them up.
     *
     * @param alignment of the rows of an expert.
     */
    public void conclude(final int alignment, final boolean isExpanded)
    {
        for (int rank = 1; rank < rankPrefix.length; rank++)
        {
            rankPrefix[rank] = Math.addExact(rankPrefix[rank], rankPrefix[rank - 1]);
        }

        expandedRows = 0;
        for (int expert = 0; expert < localExperts; expert++)
        {
            expertBase[expert] = expandedRows;
            int rows = 0;
            for (int rank = 0; rank < rankPrefix.length; rank++)
            {
                rows += counts[rank * localExperts + expert];
            }

            rowsPerExpert[expert] = (rows + alignment - 1) / alignment * alignment;
            expandedRows = Math.addExact(expandedRows, rowsPerExpert[expert]);
        }

        if (isExpanded)
        {
            final int places = Math.multiplyExact(channelStarts.length, localExperts);
            if (channelPlaces.length < places)
            {
                channelPlaces = new int[places];
            }

            beginSelections();
        }
    }

    private void beginSelections()
    {
        if (0 == selections.length)
        {
            selections = new Selections[channelStarts.length];
            for (int at = 0; at < selections.length; at++)
            {
                selections[at] = new Selections();
            }
        }

        for (int at = 0; at < selections.length; at++)
        {
            selections[at].begin(channelEnds[at] - channelStarts[at], topk, localExperts);
        }
    }

    /** First row of a channel from a source rank, in rank-major numbering. */
    public int channelStart(final int channel, final int rank)
    {
        return rankStart(rank) + channelStarts[channel * rankPrefix.length + rank];
    }

    /** Rows of a channel from a source rank. */
    public int channelRows(final int channel, final int rank)
    {
        final int at = channel * rankPrefix.length + rank;
        return channelEnds[at] - channelStarts[at];
    }

    /** Rows, rank-major. */
    public int rows()
    {
        return rankPrefix[rankPrefix.length - 1];
    }

    /** Rows, expert-major, padding included. */
    public int expandedRows()
    {
        return expandedRows;
    }

    /** Local experts of the call. */
    public int localExperts()
    {
        return localExperts;
    }

    /** Rows of a local expert, rounded up. */
    public int rowsPerExpert(final int expert)
    {
        return rowsPerExpert[expert];
    }

    /** Rows of a local expert as they came. */
    public int countOf(final int expert)
    {
        int rows = 0;
        for (int rank = 0; rank < rankPrefix.length; rank++)
        {
            rows += counts[rank * localExperts + expert];
        }

        return rows;
    }

    /** First expert-major row of a local expert and source rank. */
    public int expertStart(final int expert, final int rank)
    {
        int row = expertBase[expert];
        for (int before = 0; before < rank; before++)
        {
            row += counts[before * localExperts + expert];
        }

        return row;
    }

    /** Rows of a local expert from a source rank. */
    public int expertRows(final int expert, final int rank)
    {
        return counts[rank * localExperts + expert];
    }

    /** First expert-major row of a local expert. */
    public int expertBase(final int expert)
    {
        return expertBase[expert];
    }

    /**
     * Inclusive prefix sum over ranks.
     *
     * @return rows of ranks up to and including it.
     */
    public int rankPrefix(final int rank)
    {
        return rankPrefix[rank];
    }

    /** First row of a source rank, rank-major. */
    public int rankStart(final int rank)
    {
        return 0 == rank ? 0 : rankPrefix[rank - 1];
    }

    /** Selections of a token. */
    int topk()
    {
        return topk;
    }

    /** Local experts of the rows that a channel brings from a source rank, expert-major. */
    public Selections selections(final int channel, final int rank)
    {
        return selections[channel * rankPrefix.length + rank];
    }

    /**
     * Record where the first rows go that a channel brings from a source rank.
     *
     * @param first expert-major row of each local expert.
     */
    public void channelPlaces(final int channel, final int rank, final int[] first)
    {
        System.arraycopy(first, 0, channelPlaces, (channel * rankPrefix.length + rank) * localExperts, localExperts);
    }

    void copyChannelPlaces(final int channel, final int rank, final int[] into)
    {
        System.arraycopy(channelPlaces, (channel * rankPrefix.length + rank) * localExperts, into, 0, localExperts);
    }
}
