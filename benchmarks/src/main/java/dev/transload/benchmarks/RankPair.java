/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.benchmarks;

import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.PeerDirectory;
import dev.transload.engine.internal.observe.ThreadCounters;
import dev.transload.engine.internal.world.Stage;
import dev.transload.spi.Transport;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Two connected ranks in this thread, which drives both: what is measured is work, not how fast a thread wakes up.
 * Between processes, {@link TransportOperations} measures.
 */
final class RankPair implements AutoCloseable
{
    /** Row of hidden 7168 in BF16. */
    static final int ROW_BYTES = 14336;

    /** Slots of a row in the region of each rank. */
    static final int SLOTS = 512;

    private final OperationRank[] ranks = new OperationRank[2];

    /**
     * Open and connect.
     *
     * @param transport its name and options as key=value, separated by blanks.
     */
    RankPair(final String transport)
    {
        final List<String> words = Arrays.asList(transport.split(" "));
        final Map<String, String> options = TransportOperations.options(words.subList(1, words.size()));
        for (int rank = 0; rank < ranks.length; rank++)
        {
            ranks[rank] = new OperationRank(rank, words.get(0), options, (long)SLOTS * ROW_BYTES);
        }

        first().connect(second());
        second().connect(first());
        begin();
        while (!first().channel().isConnected() || !second().channel().isConnected())
        {
            progress();
        }
    }

    OperationRank first()
    {
        return ranks[0];
    }

    OperationRank second()
    {
        return ranks[1];
    }

    /** The deadline of all that is waited for counts from here. */
    void begin()
    {
        first().begin();
        second().begin();
    }

    void progress()
    {
        first().progress();
        second().progress();
    }

    /** Waits until all that the first rank submitted is visible at the second. */
    long flush()
    {
        long position = first().channel().flush();
        while (position < 0)
        {
            progress();
            position = first().channel().flush();
        }

        while (first().channel().deliveredPosition() < position)
        {
            progress();
        }

        return position;
    }

    /** Connected link of the engine from a rank to the other one, over a channel of its own. */
    Connection openLink(final int rank)
    {
        final Connection link = new Connection(Stage.SCALE_UP, 0, 1 - rank, Connection.Use.GENERAL,
            new Directory(ranks[rank], ranks[1 - rank], rank), new ThreadCounters(ranks.length));
        link.open(ranks[rank].worker(), 0, null);
        return link;
    }

    @Override
    public void close()
    {
        first().close();
        second().close();
    }

    /** What a rank knows of the other one: one arena, the region. */
    private record Directory(OperationRank own, OperationRank other, int rank) implements PeerDirectory
    {
        @Override
        public int arenaCount()
        {
            return 1;
        }

        @Override
        public long incarnation(final int peer)
        {
            return OperationRank.INCARNATION;
        }

        @Override
        public ByteBuffer workerAddress(final int peer, final Stage stage, final int workerIndex)
        {
            return other.worker().address();
        }

        @Override
        public ByteBuffer signals(final int peer, final Stage stage)
        {
            return other.signals().descriptor();
        }

        @Override
        public boolean exports(final int peer, final Stage stage, final int arena)
        {
            return true;
        }

        @Override
        public ByteBuffer arena(final int peer, final int arena)
        {
            return other.region().descriptor();
        }

        @Override
        public Transport transport(final Stage stage)
        {
            return own.transport();
        }
    }
}
