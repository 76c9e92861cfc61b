/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.plan;

import dev.transload.engine.BadInputException;
import dev.transload.engine.TokenRoute;
import dev.transload.engine.World;
import dev.transload.engine.world.Geometry;
import dev.transload.engine.world.Relays;
import dev.transload.kernels.RowTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Looks single tokens up in the tables of a plan, as roles read them; it computes no place of its own. */
final class PlanTokenRoute implements TokenRoute
{
    private final PlanHandle handle;
    private final Plan plan;
    private final Geometry geometry;
    private final World world;
    private final Relays relays;

    PlanTokenRoute(final PlanHandle handle)
    {
        this.handle = handle;
        this.plan = handle.routes();
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
            final SendLayout layout = plan.home();
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
            final int index = relays.ownStream(channel, node);
            final int rows = plan.home().rowsToNode(channel, node);
            int position = 0;
            while (position < rows && token(channel, node, index, position) != token)
            {
                position++;
            }

            if (position < rows)
            {
                streams.add(new Stream(
                    node, relays.relay(world.rank(), node, channel), index, position, rows));
            }
        }

        return streams;
    }

    /** Rows of the own node are read by token: there the forward table says which. */
    private int token(final int channel, final int node, final int index, final int position)
    {
        return node == world.node() ? plan.forwardTable(channel, index).table().row(position) :
            plan.sendTable(channel, node).token(position);
    }

    private List<Place> sums(final int channel, final int token)
    {
        final CombineTable combine = plan.combineTable(channel);
        final int index = token - plan.home().firstToken(channel);
        final List<Place> sums = new ArrayList<>();
        if (index < combine.written())
        {
            final RowTable table = combine.table();
            for (int entry = table.firstEntry(index); entry < table.firstEntry(index + 1); entry++)
            {
                final int node = table.region(entry) - geometry.locals();
                sums.add(new Place(node < 0 ? rank(table.region(entry)) : relays.relay(world.rank(), node, channel),
                    table.entryRow(entry)));
            }
        }

        return sums;
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
            final RowTable table = forward.table();
            final int first = table.firstEntry(position);
            final boolean[] inPlace = new boolean[table.entryCount(position)];
            final List<Place> places = new ArrayList<>();
            for (int i = 0; i < inPlace.length; i++)
            {
                places.add(new Place(rank(table.region(first + i)), table.entryRow(first + i)));
                inPlace[i] = forward.isReadInPlace(table.region(first + i));
            }

            return new Relay(table.row(position), places, inPlace);
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
            final ReceiveLayout layout = plan.experts();
            final int first = layout.laneStart(channel, source);
            for (int index = 0; index < layout.laneRows(channel, source); index++)
            {
                final int[] rows = rows(first + index);
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

    private int[] rows(final int row)
    {
        if (!plan.isExpanded())
        {
            return new int[]{ row };
        }

        final int[] rows = new int[plan.home().topk()];
        for (int k = 0; k < rows.length; k++)
        {
            rows[k] = plan.experts().place(row, k);
        }

        return rows;
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
