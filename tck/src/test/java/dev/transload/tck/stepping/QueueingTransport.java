/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.Channel;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;
import dev.transload.spi.TransportProvider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * The stepping transport, but what channels take is queued, and the next progress of their worker does all of it: any
 * order looks right between calls, and so to a single thread. It keeps those rules that it is made for.
 */
final class QueueingTransport extends ChangedTransport
{
    private static final int LOOKS = 3;

    private final Order order;

    /** In which order a progress does what is queued. */
    enum Order
    {
        /** As it came. */
        AS_IT_CAME((queued) -> 0),
        /** All adds before all copies. */
        ADDS_FIRST((queued) -> queued.isAdd() ? 0 : 1),
        /** Adds that are no signals behind all else. */
        ADDS_LAST((queued) -> "atomicAdd".equals(queued.name) ? 1 : 0),
        /** What is behind the last fence before what was there before, adds last. */
        LAST_SECTION_FIRST((queued) -> queued.isAdd() ? 1 : -queued.section()),
        /** Signals where the last fence was. */
        SIGNALS_AT_THE_LAST_FENCE((queued) -> 2 * queued.section() + (queued.isSignal() ? 0 : 1));

        private final Comparator<Queued> comparator;

        Order(final Function<Queued, Integer> place)
        {
            comparator = Comparator.comparing(place);
        }
    }

    /** An operation; fences before it are counted by its section. */
    private record Queued(String name, int section, Runnable work)
    {
        boolean isAdd()
        {
            return "atomicAdd".equals(name) || isSignal();
        }

        boolean isSignal()
        {
            return "signal".equals(name);
        }
    }

    /** What a channel has taken; its worker's thread is the only one that uses it. */
    private final class Queue extends Interceptor
    {
        private final List<Queued> queued = new ArrayList<>();
        private int section;
        private long position;
        private long done;

        @Override
        Object answer(final String method, final Object[] arguments)
        {
            switch (method)
            {
                case "put":
                    return take(method, 1, () -> copy((MemoryRegion)arguments[0], (long)arguments[1],
                        window(arguments[2]), (long)arguments[3], (long)arguments[4]));

                case "putRows":
                    return putRows((MemoryRegion)arguments[0], window(arguments[1]), (RowList)arguments[2],
                        (int)arguments[3], (int)arguments[4]);

                case "load":
                    return take(method, 1, () -> copy(window(arguments[0]), (long)arguments[1],
                        (MemoryRegion)arguments[2], (long)arguments[3], (long)arguments[4]));

                case "atomicAdd":
                case "signal":
                    return take(method, 1, () -> RegionSignals.add(RegionSignals.wordsOf(arguments[0]),
                        RegionSignals.offsetOf(arguments[0], arguments[1]), (long)arguments[2]));

                case "fence":
                case "flush":
                    section++;
                    return take(method, 1, () -> {});

                case "position":
                    return position;

                case "releasedPosition":
                case "deliveredPosition":
                    return done;

                default:
                    return PASS;
            }
        }

        int progress()
        {
            final int work = queued.size();
            queued.sort(order.comparator);
            for (int i = 0; i < work; i++)
            {
                if (Order.AS_IT_CAME != order && (1 == i || work - 1 == i))
                {
                    letOthersLook();
                }

                queued.get(i).work.run();
            }

            queued.clear();
            done = position;
            return work;
        }

        /** Behind what came too early and ahead of what comes too late, on a busy machine, too. */
        private static void letOthersLook()
        {
            for (int look = 0; look < LOOKS; look++)
            {
                Thread.yield();
            }
        }

        private long take(final String name, final int count, final Runnable work)
        {
            queued.add(new Queued(name, section, work));
            position += count;
            return position;
        }

        private long putRows(
            final MemoryRegion src, final MemoryRegion dst, final RowList rows, final int from, final int count)
        {
            return take("putRows", count, () ->
            {
                for (int row = from; row < from + count; row++)
                {
                    copy(src, rows.srcOffset(row), dst, rows.dstOffset(row), rows.rowLength());
                }
            });
        }
    }

    private QueueingTransport(final Order order)
    {
        super(false);
        this.order = order;
    }

    static TransportProvider provider(final TransportProvider stepping, final Order order)
    {
        return new QueueingTransport(order).around(stepping);
    }

    @Override
    Channels newWorker()
    {
        final List<Queue> queues = new ArrayList<>();
        return new Channels()
        {
            @Override
            Channel channel(final Channel channel)
            {
                final Queue queue = new Queue();
                queues.add(queue);
                return queue.around(Channel.class, channel);
            }

            @Override
            int progress()
            {
                return queues.stream().mapToInt(Queue::progress).sum();
            }
        };
    }

    private static MemoryRegion window(final Object imported)
    {
        return ((RemoteRegion)imported).window();
    }

    private static void copy(
        final MemoryRegion src, final long srcOffset, final MemoryRegion dst, final long dstOffset, final long length)
    {
        dst.hostView(dstOffset, (int)length).put(src.hostView(srcOffset, (int)length));
    }
}
