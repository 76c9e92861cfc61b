/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import java.util.List;

/**
 * Looks up the routes of single tokens of a dispatch in the tables of one rank, for diagnosis. The route of a token is
 * distributed over ranks: the source rank knows the streams that carry the token, the relay of each stream knows the
 * output rows that the token is copied to, and the ranks of these rows know the rest of the route. The run time of each
 * method is proportional to the number of rows of a channel. The methods must not be used while a dispatch or combine
 * uses the handle; they throw a {@link BadInputException} after the handle is closed.
 */
public interface TokenRoute
{
    /**
     * Returns the part of the route that the source rank has, from its send tables and its combine table.
     *
     * @param token index of a token of this rank, in [0, T).
     * @return part of the route at the source rank.
     */
    Source source(int token);

    /**
     * Returns the part of the route that the relay of a stream has, from its forward table.
     *
     * @param source   source rank of the stream.
     * @param channel  channel of the stream.
     * @param position position in the stream, in [0, rows of the stream).
     * @return part of the route at the relay.
     */
    Relay relay(int source, int channel, int position);

    /**
     * Returns the part of the route that is known to the rank of the token's expert. That rank finds this part in its
     * receive layout by the index of the output row.
     *
     * @param source  rank that sent the row.
     * @param channel channel of the row.
     * @param row     index of the row in the output.
     * @return part of the route at the rank of the expert.
     */
    Output output(int source, int channel, int row);

    /**
     * A row and its rank.
     *
     * @param rank rank that holds the row.
     * @param row  index of the row in the output of the rank, or in one of its rings.
     */
    record Place(int rank, int row)
    {
    }

    /**
     * A stream that carries a token.
     *
     * @param node     node that the stream is sent to.
     * @param relay    rank of that node that receives the stream. For the node of the source rank, this is the source
     *                 rank itself.
     * @param index    index of the stream among the streams that the relay receives in this channel.
     * @param position position of the token in the stream.
     * @param rows     number of rows of the stream.
     */
    record Stream(int node, int relay, int index, int position, int rows)
    {
    }

    /**
     * Part of the route at the source rank.
     *
     * @param channel channel of the token.
     * @param experts the K experts that the token selected, −1 for no selection.
     * @param streams streams that carry the token, in ascending order of node; empty if the token selected no expert.
     * @param sums    rows that a combine sums for the token, in the order in which it adds them: output rows of ranks
     *                of the same node, and ring slots with the partial sums of relays of other nodes. This list is
     *                empty before the first combine. It is also empty if ranks of the same node do not allow other
     *                ranks to read their rows in place, since the combine then keeps no table.
     */
    record Source(int channel, int[] experts, List<Stream> streams, List<Place> sums)
    {
    }

    /**
     * Part of the route at the relay.
     *
     * @param row     slot in which the row arrives and in which its partial sum is sent back. If this rank is also the
     *                source rank of the stream, the value is the index of the token instead.
     * @param places  output rows that the row is copied to, in the order in which a combine sums their answers.
     * @param inPlace for each place, whether the last combine read the row in place; otherwise the row came back
     *                through a ring.
     */
    record Relay(int row, List<Place> places, boolean[] inPlace)
    {
    }

    /**
     * Part of the route at the rank of the token's experts.
     *
     * @param index        index of the row among the rows that its channel carries from the source rank to this rank.
     * @param isDirect     whether the last dispatch wrote the row directly to its place; otherwise the row came through
     *                     a ring.
     * @param slot         slot of the row in a scale-up ring. A dispatch uses the slot unless it writes the row
     *                     directly to its place. A combine uses the slot unless the row is read in place.
     * @param localExperts L, number of local experts: this rank has experts rank·L to rank·L + L − 1.
     * @param rows         in rank-major layout, the only output row. In expert-major layout, the output row of each
     *                     expert that the token selected, −1 if the expert is on another rank. A combine sums these
     *                     rows in this order before it sends the sum back.
     */
    record Output(int index, boolean isDirect, int slot, int localExperts, int[] rows)
    {
    }
}
