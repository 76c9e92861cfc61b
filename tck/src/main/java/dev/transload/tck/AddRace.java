/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.spi.Channel;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Two workers of rank 0 and the owner, rank 1, add 1 to one word at the same time, each by two channels. They begin
 * together and go on until all of them have added often enough, and until adds of different threads have overlapped
 * often enough: on a machine with much else to do, threads run at the same time only now and then.
 */
final class AddRace
{
    static final int CHANNELS = 2;

    private static final int OWNER = 1;
    private static final int WORKERS = 2;
    private static final int ADDS = 150;
    private static final int OVERLAPS = 5_000;
    private static final long MOST_NS = TimeUnit.SECONDS.toNanos(1);

    private final World world;
    private final Target target;
    private final ByteBuffer ownerAddress;
    private final List<Adder> adders = new ArrayList<>();
    private final AtomicInteger connected = new AtomicInteger();
    private final AtomicInteger satisfied = new AtomicInteger();

    /** The word, as a worker knows it. */
    @FunctionalInterface
    interface Target
    {
        /**
         * Imports the word.
         *
         * @param worker that will add.
         * @return how its channels add 1.
         */
        Add importBy(Worker worker);
    }

    /** Adds 1 to the word. */
    @FunctionalInterface
    interface Add
    {
        /**
         * Submits it.
         *
         * @param channel to the owner.
         * @return position or status.
         */
        long by(Channel channel);
    }

    /** One worker's part. */
    private final class Adder implements Race.Part
    {
        private final int index;
        private final Channel[] channels = new Channel[CHANNELS];
        private final long[] flushed = new long[CHANNELS];
        private Worker worker;
        private Add add;
        private boolean isConnected;
        private boolean isSatisfied;
        private boolean isFlushing;
        private volatile long added;
        private int overlaps;
        private long beginNs;

        /** The worker of rank 0 with this index; without one, the owner's. */
        Adder(final int index)
        {
            this.index = index;
        }

        @Override
        public boolean step()
        {
            if (null == worker)
            {
                open();
            }

            if (isConnected && !isFlushing && connected.get() == adders.size())
            {
                addOne();
                return false;
            }

            Race.progress(worker);
            if (!isConnected && areConnected())
            {
                isConnected = true;
                connected.incrementAndGet();
            }

            return isFlushing && isDelivered();
        }

        private void open()
        {
            worker = index < 0 ? world.worker(OWNER) : world.transport(0).openWorker(index);
            add = target.importBy(worker);
            for (int i = 0; i < CHANNELS; i++)
            {
                channels[i] = worker.connect(OWNER, World.INCARNATION, ownerAddress.duplicate());
                flushed[i] = Long.MAX_VALUE;
            }
        }

        private void addOne()
        {
            if (0 == beginNs)
            {
                beginNs = System.nanoTime();
            }

            final long mine = added;
            final long before = total() - mine;
            if (Race.isAccepted("add", add.by(channels[(int)(mine % CHANNELS)])))
            {
                added = mine + 1;
                overlaps += total() - added == before ? 0 : 1;
                lookWhetherItIsEnough();
                isFlushing = satisfied.get() == adders.size();
            }
            else
            {
                Race.progress(worker);
            }
        }

        private void lookWhetherItIsEnough()
        {
            if (!isSatisfied && added >= ADDS && (overlaps >= OVERLAPS || isAlone() ||
                System.nanoTime() - beginNs >= MOST_NS))
            {
                isSatisfied = true;
                satisfied.incrementAndGet();
            }
        }

        /** Whether it has no thread of its own; the owner's is the test's, which does other things as well. */
        private boolean isAlone()
        {
            return index < 0 || !world.fixture().isThreaded();
        }

        private boolean areConnected()
        {
            boolean are = true;
            for (final Channel channel : channels)
            {
                are &= channel.isConnected();
            }

            return are;
        }

        private boolean isDelivered()
        {
            boolean is = true;
            for (int i = 0; i < CHANNELS; i++)
            {
                if (Long.MAX_VALUE == flushed[i])
                {
                    final long result = channels[i].flush();
                    flushed[i] = Race.isAccepted("flush", result) ? result : Long.MAX_VALUE;
                }

                is &= channels[i].deliveredPosition() >= flushed[i];
            }

            return is;
        }
    }

    /**
     * Of the memory of rank 1.
     *
     * @param world  of two ranks, in which no worker of rank 0 is open.
     * @param target the word.
     */
    AddRace(final World world, final Target target)
    {
        this.world = world;
        this.target = target;
        this.ownerAddress = world.worker(OWNER).address();
        adders.add(new Adder(-1));
        for (int i = 0; i < workers(world); i++)
        {
            adders.add(new Adder(i));
        }
    }

    /**
     * How many channels will add.
     *
     * @param world of the test.
     * @return channels of all workers together.
     */
    static int writers(final World world)
    {
        return CHANNELS * (1 + workers(world));
    }

    /**
     * Runs it to the end, when all adds are delivered.
     *
     * @return adds that were accepted.
     */
    long run()
    {
        Race.run(world, adders.get(0), adders.subList(1, adders.size()));
        return total();
    }

    private long total()
    {
        long total = 0;
        for (int i = 0; i < adders.size(); i++)
        {
            total += adders.get(i).added;
        }

        return total;
    }

    private static int workers(final World world)
    {
        return Math.min(WORKERS, world.transport(0).capabilities().maxWorkers());
    }
}
