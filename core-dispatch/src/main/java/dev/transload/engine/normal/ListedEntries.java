/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.World;
import dev.transload.engine.plan.SendLayout;

/**
 * Metadata of listed rows on its way through the ring: an entry for each row of the own node, in as few pieces as can
 * be, or where these are many for each row of the rank, for each of the latter alone.
 */
final class ListedEntries
{
    /** Entries of the node for each of the rank's from which on it costs less to pick these than to send all. */
    private static final int SIFTED_FROM = 4;

    private final World world;
    private final int channel;
    private final Source source;
    private final Sources sources;
    private final UpRing ring;
    private final int local;
    private SendLayout home;
    private int token;
    private boolean areSifted;

    /** Of a channel, from the own node's source to the ring of a local rank. */
    ListedEntries(
        final World world, final int channel, final Sources sources, final UpRing ring, final int local)
    {
        this.world = world;
        this.channel = channel;
        this.source = sources.of(world.node());
        this.sources = sources;
        this.ring = ring;
        this.local = local;
    }

    /** Begin a call. */
    void begin(final SendLayout routes)
    {
        home = routes;
        token = routes.firstToken(channel);
        areSifted = SIFTED_FROM * (long)routes.rowsToRank(channel, world.rankAt(world.node(), local)) <=
            routes.rowsToNode(channel, world.node());
    }

    /** Whether only the rank's rows have entries. */
    boolean areSifted()
    {
        return areSifted;
    }

    /** Whatever the sender has written, so far as the ring has room; returns the rows looked at. */
    int send()
    {
        int sent = 0;
        int passed = 1;
        while (passed > 0 && source.isKnown() && !source.meta().isActive() && source.head() < source.end() &&
            source.pending().hasRoom() && !ring.transfer().isActive())
        {
            final int most = (int)(Math.min(sources.available(source), source.end()) - source.head());
            passed = 0 == most ? 0 : areSifted ? sift(most) : sendBlock(most);
            sent += passed > 0 ? passed + sources.settle() : 0;
        }

        return sent;
    }

    private int sendBlock(final int most)
    {
        final int rows = ring.sendBlock(source.ring(), source.head(), most);
        if (rows > 0)
        {
            source.pass(rows);
            sources.carry(source);
        }

        return rows;
    }

    /** By the routes of the tokens, which are fewer bytes to look through than the entries. */
    private int sift(final int most)
    {
        final SourceRing rows = source.ring();
        ring.beginEntries(rows.metas());
        final int room = ring.room();
        final long before = source.head();
        rows.begin(before);
        int passed = 0;
        for (; passed < most; token++)
        {
            final boolean isHere = home.isInRank(token, rows.node(), local);
            if (isHere)
            {
                if (ring.picked() == room)
                {
                    break;
                }

                ring.addEntry(rows.metas(), rows.entry());
            }

            if (isHere || home.isInNode(token, rows.node()))
            {
                rows.pass();
                passed++;
            }
        }

        source.pass(passed);
        if (ring.picked() > 0)
        {
            sources.carry(source);
            ring.sendEntries();
        }
        else
        {
            sources.skip(source, before);
        }

        return passed;
    }
}
