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
 * Rank 0 puts words to rank 1, which looks at them all the while: all bytes of a word are equal at any time. It goes on
 * until words have changed between looks often enough, or for a while.
 */
final class PutRace
{
    private static final int OWNER = 1;
    private static final int VALUES = 64;
    private static final int BATCH = 8;
    private static final int PUTS = 1_600;
    private static final int CHANGES = 2_000;
    private static final long MOST_NS = TimeUnit.MILLISECONDS.toNanos(500);
    /** Of a transport that takes milliseconds for a flush: fewer puts must do, well before the fixture's deadline. */
    private static final long SLOW_NS = TimeUnit.SECONDS.toNanos(4);
    private static final long ONES = 0x0101_0101_0101_0101L;

    private final World world;
    private final int stride;
    private final MemoryRegion source;
    private final MemoryRegion target;
    private final ByteBuffer ownerAddress;
    private final ByteBuffer descriptor;
    private long last;
    private volatile int changes;
    private volatile boolean isOver;

    /** The part of rank 0. */
    private final class Writer implements Race.Part
    {
        private Worker worker;
        private Channel channel;
        private RemoteRegion remote;
        private int submitted;
        private int puts;
        private long flushed = -1;
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
                puts += BATCH;
                submitted = 0;
                flushed = -1;
                final long takenNs = System.nanoTime() - beginNs;
                isOver = takenNs >= SLOW_NS ||
                    puts >= PUTS && (changes >= CHANGES || !world.fixture().isThreaded() || takenNs >= MOST_NS);
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
            while (submitted < BATCH && Race.isAccepted("put", channel.put(
                source, (long)((puts + submitted) % VALUES) * stride, remote, stride, Long.BYTES)))
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
    }

    /**
     * To the memory of rank 1.
     *
     * @param world of two ranks, in which no worker of rank 0 is open.
     */
    PutRace(final World world)
    {
        this.world = world;
        this.stride = world.aligned(Long.BYTES);
        this.source = world.allocate(0, MemoryKind.HOST, (long)VALUES * stride, Access.LOCAL);
        this.target = world.allocate(OWNER, MemoryKind.HOST, 2L * stride, Access.REMOTE);
        this.ownerAddress = world.worker(OWNER).address();
        this.descriptor = target.descriptor();
        for (int i = 0; i < VALUES; i++)
        {
            World.word(source, (long)i * stride, (i + 1) * ONES);
        }
    }

    /** Runs it until there were enough puts. */
    void run()
    {
        Race.run(world, this::look, List.of(new Writer()));
    }

    private boolean look()
    {
        final long seen = World.word(target, stride);
        assertEquals((seen & 0xFF) * ONES, seen, () -> "a word was torn: " + Long.toHexString(seen));
        changes += seen == last ? 0 : 1;
        last = seen;
        return isOver;
    }
}
