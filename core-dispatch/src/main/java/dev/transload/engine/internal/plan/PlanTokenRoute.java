/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import dev.transload.engine.BadInputException;
import dev.transload.engine.TokenRoute;
import dev.transload.engine.World;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Relays;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Looks single tokens up in the tables of a plan, as roles read them. */
final class PlanTokenRoute implements TokenRoute
{
    private static final int NONE = -1;

    private final PlanHandle handle;
    private final Plan plan;
    private final Geometry geometry;
    private final World world;
    private final Relays relays;

    PlanTokenRoute(final PlanHandle handle)
    {
        this.handle = handle;
        this.plan = handle.plan();
        this.geometry = plan.geometry();
        this.world = geometry.world();
        this.relays = geometry.relays();
    }

    @Override
    public Source source(final int token)
    {
        return open(() ->
        {
            require("token", token, plan.tokens());
            final SendLayout layout = plan.sendLayout();
            int channel = 0;
            while (token >= layout.firstToken(channel + 1))
            {
                channel++;
            }

            final int[] experts = new int[layout.topk()];
            for (int k = 0; k < experts.length; k++)
            {
                experts[k] = layout.expert(token, k);
            }

            return new Source(channel, experts, streams(channel, token), sums(channel, token));
        });
    }

    private List<Stream> streams(final int channel, final int token)
    {
        final List<Stream> streams = new ArrayList<>();
        for (int node = 0; node < geometry.nodes(); node++)
        {
            final int position = position(channel, node, token);
            if (position >= 0)
            {
                streams.add(new Stream(node, relays.relay(world.rank(), node, channel),
                    relays.ownStream(channel, node), position, plan.sendLayout().rowsToNode(channel, node)));
            }
        }

        return streams;
    }

    /** Position of a token in the stream to a node, −1 where it does not go there. */
    private int position(final int channel, final int node, final int token)
    {
        final int rows = plan.sendLayout().rowsToNode(channel, node);
        int position = 0;
        while (position < rows && token(channel, node, relays.ownStream(channel, node), position) != token)
        {
            position++;
        }

        return position < rows ? position : NONE;
    }

    /** Rows of the own node are read by token: there the forward table says which. */
    private int token(final int channel, final int node, final int index, final int position)
    {
        return node == world.node() ? plan.forwardTable(channel, index).own(position) :
            plan.sendTable(channel, node).token(position);
    }

    /** The combine table is both others read backwards; a long one is not kept. */
    private List<Place> sums(final int channel, final int token)
    {
        final List<Place> sums = new ArrayList<>();
        for (int node = 0; node < geometry.nodes() && plan.combineTable(channel).isMade(); node++)
        {
            final int position = position(channel, node, token);
            if (position >= 0 && node != world.node())
            {
                sums.add(new Place(relays.relay(world.rank(), node, channel), position % geometry.outRing()));
            }
            else if (position >= 0)
            {
                sums.addAll(places(plan.forwardTable(channel, relays.ownStream(channel, node)), position));
            }
        }

        return sums;
    }

    private List<Place> places(final ForwardTable forward, final int position)
    {
        final int[] places = forward.placesAt(position);
        return IntStream.range(0, places.length / 2)
            .mapToObj((i) -> new Place(rank(places[2 * i]), places[2 * i + 1])).toList();
    }

    private int rank(final int local)
    {
        return world.first(world.node()) + local;
    }

    @Override
    public Relay relay(final int source, final int channel, final int position)
    {
        return open(() ->
        {
            requireStream(source, channel);
            final ForwardTable forward = plan.forwardTable(channel, stream(source, channel));
            require("position", position, forward.rows());
            final List<Place> places = places(forward, position);
            final boolean[] inPlace = new boolean[places.size()];
            for (int i = 0; i < inPlace.length; i++)
            {
                inPlace[i] = forward.isReadInPlace(world.localOf(places.get(i).rank()));
            }

            return new Relay(forward.own(position), places, inPlace);
        });
    }

    private int stream(final int source, final int channel)
    {
        for (int stream = 0; stream < relays.streams(channel, world.local()); stream++)
        {
            if (relays.source(channel, world.local(), stream) == source)
            {
                return stream;
            }
        }

        throw new BadInputException("source = " + source + " is not allowed: in channel " + channel + ", rank " +
            world.rank() + " relays no stream of it");
    }

    @Override
    public Output output(final int source, final int channel, final int row)
    {
        return open(() ->
        {
            requireStream(source, channel);
            final ReceiveLayout layout = plan.receiveLayout();
            final int first = layout.channelStart(channel, source);
            final ChannelPlaces places = new ChannelPlaces(geometry);
            places.begin(layout, channel, source);
            for (int index = 0; index < layout.channelRows(channel, source); index++)
            {
                final int[] rows = rows(first + index, places);
                for (final int one : rows)
                {
                    if (one == row && row >= 0)
                    {
                        return new Output(index, plan.isDirect(), index % geometry.subRing(),
                            layout.localExperts(), rows);
                    }
                }
            }

            throw new BadInputException("row = " + row + " is not allowed: it did not come from rank " + source +
                " through channel " + channel);
        });
    }

    private int[] rows(final int row, final ChannelPlaces places)
    {
        if (!plan.isExpanded())
        {
            return new int[]{ row };
        }

        places.advance();
        return IntStream.range(0, plan.sendLayout().topk()).map(places::place).toArray();
    }

    private void requireStream(final int source, final int channel)
    {
        require("source", source, world.size());
        require("channel", channel, geometry.channels());
    }

    private static void require(final String name, final int value, final int end)
    {
        if (value < 0 || value >= end)
        {
            throw new BadInputException(name + " = " + value + " is not allowed: must be in [0, " + end + ")");
        }
    }

    /** The plan serves another dispatch once the handle is closed. */
    private <T> T open(final Supplier<T> question)
    {
        if (!handle.retain())
        {
            throw new BadInputException("the handle is closed or its dispatch is not complete: must be open");
        }

        try
        {
            return question.get();
        }
        finally
        {
            plan.release();
        }
    }
}
