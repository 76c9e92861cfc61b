/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.SignalRegion;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;

/** Signals of one rank; what the JVM reads is a mirror that lags behind the adds. */
final class SteppingSignals implements SignalRegion
{
    private final SteppingTransport owner;
    private final int id;
    private final int writers;
    private final AtomicLongArray mirror;
    private final List<Set<SteppingChannel>> writersOf = new ArrayList<>();
    private final Thread creator = Thread.currentThread();
    private volatile boolean closed;

    SteppingSignals(final SteppingTransport owner, final int id, final int count, final int writers)
    {
        this.owner = owner;
        this.id = id;
        this.writers = owner.fabric().has(Fault.SIG_3) ? 1 : writers;
        this.mirror = owner.mirror(count);
        for (int i = 0; i < count; i++)
        {
            writersOf.add(new LinkedHashSet<>());
        }

        if (owner.fabric().has(Fault.SIG_1))
        {
            mirror.set(count - 1, 1);
        }
    }

    @Override
    public int count()
    {
        return mirror.length();
    }

    @Override
    public long getAcquire(final int index)
    {
        if (closed && !owner.fabric().has(Fault.SIG_7))
        {
            throw new IllegalStateException("signals of rank " + owner.rank() + " are closed");
        }

        if (owner.fabric().has(Fault.SIG_4) && creator != Thread.currentThread())
        {
            throw new IllegalStateException("signals are read by one thread only");
        }

        checkIndex("getAcquire", index, count());
        return mirror.getAcquire(index);
    }

    @Override
    public ByteBuffer descriptor()
    {
        if (closed)
        {
            throw new IllegalStateException("signals of rank " + owner.rank() + " are closed");
        }

        return owner.describe(Descriptors.SIGNALS, id, count());
    }

    @Override
    public void close()
    {
        synchronized (owner.fabric())
        {
            closed = true;
            owner.forget(this);
        }
    }

    int id()
    {
        return id;
    }

    boolean isIn(final AtomicLongArray values)
    {
        return mirror == values;
    }

    static void checkIndex(final String what, final int index, final int count)
    {
        if (index < 0 || index >= count)
        {
            throw new IndexOutOfBoundsException(what + ": signal " + index + " must be in [0, " + count + ")");
        }
    }

    /** Catches the engine's mistake of two channels that add to one signal. */
    void claim(final int index, final SteppingChannel channel)
    {
        final Set<SteppingChannel> claimed = writersOf.get(index);
        if (!claimed.contains(channel) && claimed.size() == writers)
        {
            throw new IllegalStateException("signal " + index + " of rank " + owner.rank() + " is written by " +
                claimed + " already: " + channel + " is one channel more than the " + writers + " allowed");
        }

        claimed.add(channel);
    }

    /** A broken transport forgets what a closed channel had added. */
    void reset(final SteppingChannel channel)
    {
        for (int i = 0; i < count(); i++)
        {
            if (writersOf.get(i).contains(channel))
            {
                mirror.set(i, 0);
            }
        }
    }

    void add(final int index, final long delta)
    {
        if (owner.fabric().has(Fault.SIG_2) && 50 == delta)
        {
            owner.log(() -> mirror.setRelease(index + 1, mirror.getPlain(index + 1) + delta));
        }

        owner.log(() -> mirror.setRelease(index, mirror.getPlain(index) + delta));
    }

    /** The total of the only writer, as a word. */
    void put(final int index, final long total)
    {
        owner.log(() -> mirror.setRelease(index, total));
    }
}
