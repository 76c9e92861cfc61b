/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Rank 0 loads words of rank 1 while these change: all bytes of a word are equal at any time. It goes on until words
 * have changed during loads often enough: on a busy machine, threads run at the same time only now and then.
 */
final class LoadRace
{
    private static final int OWNER = 1;
    private static final int WORDS = 4;
    private static final int BATCH = 4;
    private static final int LOADS = 400;
    private static final int WRITES = 200;
    private static final int OVERLAPS = 2_000;
    private static final long MOST_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long VALUES = 0x3F;

    private final World world;
    private final int length;
    private final MemoryRegion source;
    private final MemoryRegion target;
    private final ByteBuffer ownerAddress;
    private final ByteBuffer descriptor;
    private volatile int writes;
    private volatile boolean isOver;

    /** The part of rank 0. */
    private final class Reader implements Race.Part
    {
        private Worker worker;
        private Channel channel;
        private RemoteRegion remote;
        private int submitted;
        private long flushed = -1;
        private int loads;
        private int writesBefore;
        private int overlaps;
        private long beginNs;

        @Override
        public boolean step()
        {
            if (null == worker)
            {
                worker = world.transport(0).openWorker(0);
                remote = worker.importRegion(OWNER, descriptor.duplicate());
                channel = worker.connect(OWNER, World.INCARNATION, ownerAddress.duplicate());
                beginNs = System.nanoTime();
            }

            if (channel.isConnected() && isSubmitted() && channel.deliveredPosition() >= flushed)
            {
                overlaps += writes == writesBefore ? 0 : 1;
                check();
                loads += BATCH;
                submitted = 0;
                flushed = -1;
                isOver = loads >= LOADS && writes >= WRITES && (overlaps >= OVERLAPS ||
                    !world.fixture().isThreaded() || System.nanoTime() - beginNs >= MOST_NS);
            }
            else
            {
                Race.progress(worker);
            }

            return isOver;
        }

        /** Submits what is left of a batch and its flush, and returns whether all of it is accepted. */
        private boolean isSubmitted()
        {
            writesBefore = 0 == submitted ? writes : writesBefore;
            while (submitted < BATCH && Race.isAccepted(
                "load", channel.load(remote, 0, target, (long)submitted * length, length)))
            {
                submitted++;
            }

            if (BATCH == submitted && flushed < 0)
            {
                final long result = channel.flush();
                flushed = Race.isAccepted("flush", result) ? result : -1;
            }

            return flushed >= 0;
        }

        private void check()
        {
            for (int load = 0; load < BATCH; load++)
            {
                for (int word = 0; word < WORDS; word++)
                {
                    final long seen = World.word(target, (long)load * length + (long)word * Long.BYTES);
                    assertEquals((seen & 0xFF) * ONES, seen, () -> "a word was torn: " + Long.toHexString(seen));
                }
            }
        }
    }

    /**
     * Of the memory of rank 1.
     *
     * @param world of two ranks, in which no worker of rank 0 is open.
     */
    LoadRace(final World world)
    {
        this.world = world;
        this.length = world.aligned(WORDS * Long.BYTES);
        this.source = world.allocate(OWNER, MemoryKind.HOST, length, Access.REMOTE);
        this.target = world.allocate(0, MemoryKind.HOST, (long)BATCH * length, Access.LOCAL);
        this.ownerAddress = world.worker(OWNER).address();
        this.descriptor = source.descriptor();
    }

    /** Runs it until there were enough loads and writes. */
    void run()
    {
        Race.run(world, this::write, List.of(new Reader()));
    }

    private boolean write()
    {
        final long value = (writes & VALUES) * ONES;
        for (int word = 0; word < WORDS; word++)
        {
            World.word(source, (long)word * Long.BYTES, value);
        }

        writes++;
        return isOver;
    }
}
