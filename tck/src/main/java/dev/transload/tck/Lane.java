/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.spi.Access;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RemoteSignals;
import dev.transload.spi.RowList;
import dev.transload.spi.SignalRegion;

/** A channel of one rank to another, with a source, a target and signals at its ends. */
final class Lane implements AutoCloseable
{
    static final int BYTES = 8192;
    static final int SIGNALS = 4;

    final World world;
    final int from;
    final int to;
    final MemoryRegion source;
    final MemoryRegion target;
    final RemoteRegion remote;
    final SignalRegion signals;
    final RemoteSignals remoteSignals;
    final Channel channel;

    Lane(final World world, final int from, final int to, final MemoryKind sourceKind, final MemoryKind targetKind)
    {
        this(world, from, to, sourceKind, targetKind, BYTES);
    }

    Lane(
        final World world,
        final int from,
        final int to,
        final MemoryKind sourceKind,
        final MemoryKind targetKind,
        final long bytes)
    {
        this.world = world;
        this.from = from;
        this.to = to;
        source = world.allocate(from, sourceKind, bytes, Access.LOCAL);
        target = world.allocate(to, targetKind, bytes, Access.REMOTE);
        signals = world.transport(to).allocateSignals(SIGNALS, 1);
        remote = world.worker(from).importRegion(to, target.descriptor());
        remoteSignals = world.worker(from).importSignals(to, signals.descriptor());
        channel = world.connect(from, to);
    }

    void fill(final byte[] bytes)
    {
        world.write(from, source, 0, bytes);
    }

    long put(final long srcOffset, final long dstOffset, final long length)
    {
        return world.submit("put of " + length + " bytes to rank " + to,
            () -> channel.put(source, srcOffset, remote, dstOffset, length));
    }

    /** The first rows of a list. */
    long putRows(final RowList rows, final int count)
    {
        return putRows(rows, 0, count);
    }

    /** Rows [from, from + count) of a list, in as many calls as it takes. */
    long putRows(final RowList rows, final int from, final int count)
    {
        int done = 0;
        long position = channel.position();
        while (done < count)
        {
            final int next = from + done;
            final int left = count - done;
            final long before = position;
            position = world.submit("putRows from row " + next + " to rank " + to,
                () -> channel.putRows(source, remote, rows, next, left));
            done += (int)(position - before);
        }

        return position;
    }

    long fence()
    {
        return world.submit("fence to rank " + to, channel::fence);
    }

    long add(final int index, final long delta)
    {
        return world.submit("atomicAdd to rank " + to, () -> channel.atomicAdd(remoteSignals, index, delta));
    }

    long signal(final int index, final long delta)
    {
        return world.submit("signal to rank " + to, () -> channel.signal(remoteSignals, index, delta));
    }

    /** Adds 1 behind all before it, in either of the two ways. */
    void publish(final int index, final boolean bySignal)
    {
        if (bySignal)
        {
            signal(index, 1);
        }
        else
        {
            fence();
            add(index, 1);
        }
    }

    void flush()
    {
        world.flush(channel);
    }

    void awaitSignal(final int index, final long expected)
    {
        world.awaitSignal(to, signals, index, expected);
    }

    /** What the target's device sees after it acquired the region. */
    byte[] acquired(final int length)
    {
        world.worker(to).acquire(target);
        return world.read(to, target, 0, length);
    }

    static byte[] pattern(final int length, final int seed)
    {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
        {
            bytes[i] = (byte)(1 + (i * 31 + (i >> 8) * 7 + seed * 17) % 251);
        }

        return bytes;
    }

    @Override
    public void close()
    {
        channel.close();
        remote.close();
        remoteSignals.close();
        source.close();
        target.close();
        signals.close();
    }

    @Override
    public String toString()
    {
        return "channel of rank " + from + " to " + to + ", " + source.kind() + " to " + target.kind();
    }
}
