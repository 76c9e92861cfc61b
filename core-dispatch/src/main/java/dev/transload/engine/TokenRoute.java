/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.List;

/**
 * The way of single tokens, as one rank's tables of a dispatch have it. The way of a token is spread over ranks: its
 * source rank knows the streams that carry it, the relay of each stream the output rows, and their ranks what they do
 * with them. It is for diagnosis: a question takes time in proportion to the rows of a channel. Questions are refused
 * with a {@link BadInputException} once the handle is closed; they are for times when no call uses it.
 */
public interface TokenRoute
{
    /**
     * What the source rank knows: the send tables, and the table of its sums.
     *
     * @param token of this rank, in [0, T).
     * @return part of the way.
     */
    Source source(int token);

    /**
     * What the relay of a stream knows: the forward table.
     *
     * @param source   rank of the stream.
     * @param channel  of it.
     * @param position in it, in [0, rows of the stream).
     * @return part of the way.
     */
    Relay relay(int source, int channel, int position);

    /**
     * What the rank of an output row knows: the receive layout.
     *
     * @param source  rank that the row came from.
     * @param channel that it came through.
     * @param row     of the output.
     * @return part of the way.
     */
    Output output(int source, int channel, int row);

    /**
     * A row of a rank.
     *
     * @param rank which has it.
     * @param row  index in the output of the rank, or in one of its rings.
     */
    record Place(int rank, int row)
    {
    }

    /**
     * A stream that carries a token.
     *
     * @param node     that it goes to.
     * @param relay    rank of that node which receives it; for the own node, the source rank.
     * @param index    among the streams that the relay has in the channel.
     * @param position of the token in it.
     * @param rows     of it.
     */
    record Stream(int node, int relay, int index, int position, int rows)
    {
    }

    /**
     * At the source rank.
     *
     * @param channel of the token.
     * @param experts [K] that it selected, −1 for none.
     * @param streams that carry it, nodes ascending; empty if it is sent nowhere.
     * @param sums    what a combine sums it from, in this order: output rows of ranks of the own node, and of another
     *                node's relay the slot that holds its partial sum. Empty before the first combine, and where ranks
     *                of the own node do not let their rows be read in place: no table is kept then.
     */
    record Source(int channel, int[] experts, List<Stream> streams, List<Place> sums)
    {
    }

    /**
     * At the relay.
     *
     * @param row     slot that the row comes in, and that its partial sum goes home in; of a stream that begins at this
     *                rank, the token.
     * @param places  output rows that it goes to, in the order in which combine sums what comes back of them.
     * @param inPlace by place, whether the last combine read the row where it is; else it came back through a ring.
     */
    record Relay(int row, List<Place> places, boolean[] inPlace)
    {
    }

    /**
     * At the rank of its experts.
     *
     * @param index        of the row among those of its channel from the source rank to this one.
     * @param isDirect     whether the last dispatch wrote it to its place; else it came in a ring.
     * @param slot         of the ring that it came in, if it did, and goes back in, unless it is read in place.
     * @param localExperts L: this rank has experts rank·L to rank·L + L − 1.
     * @param rows         rank-major its only output row; expert-major [K] the row of each selection, −1 where that
     *                     expert is elsewhere. Combine sums them in this order before they go back.
     */
    record Output(int index, boolean isDirect, int slot, int localExperts, int[] rows)
    {
    }
}
