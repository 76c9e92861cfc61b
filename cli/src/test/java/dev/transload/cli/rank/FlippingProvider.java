/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import dev.transload.spi.Availability;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.Channel;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;
import dev.transload.spi.SpiVersion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.Worker;
import dev.transload.transport.aeron.AeronTransportProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Aeron's mapped memory, in which one row is spoiled between the put that brings it and the signal after it: a bit is
 * turned, or it stays what it was before. Engines see no windows, so that all rows are put.
 */
public final class FlippingProvider implements TransportProvider
{
    static final String NAME = "flipping";

    private static final Object LOCK = new Object();
    private static final TransportProvider MAPPED = new AeronTransportProvider();

    private static long[] rowsPut = {};
    private static int rowBytes;
    private static int flippedRank;
    private static long flippedRow;
    private static int flippedBit;
    private static boolean isLost;

    /** Count rows anew, of so many ranks and so many bytes each; none is flipped. */
    static void count(final int ranks, final int bytes)
    {
        flip(ranks, bytes, -1, -1, 0);
    }

    /** Count rows anew, and flip a bit of one that a rank puts. */
    static void flip(final int ranks, final int bytes, final int rank, final long row, final int bit)
    {
        synchronized (LOCK)
        {
            rowsPut = new long[ranks];
            rowBytes = bytes;
            flippedRank = rank;
            flippedRow = row;
            flippedBit = bit;
            isLost = false;
        }
    }

    /** Count rows anew, and lose one that a rank puts. */
    static void lose(final int ranks, final int bytes, final int rank, final long row)
    {
        synchronized (LOCK)
        {
            flip(ranks, bytes, rank, row, 0);
            isLost = true;
        }
    }

    /** Rows that a rank has put since they were counted anew. */
    static long rowsPut(final int rank)
    {
        synchronized (LOCK)
        {
            return rowsPut[rank];
        }
    }

    @Override
    public String name()
    {
        return NAME;
    }

    @Override
    public int spiVersion()
    {
        return SpiVersion.CURRENT;
    }

    @Override
    public List<ConfigOption> options()
    {
        return MAPPED.options();
    }

    @Override
    public Availability probe(final TransportConfig config)
    {
        return MAPPED.probe(config);
    }

    @Override
    public Transport open(final TransportConfig config)
    {
        return proxy(Transport.class, MAPPED.open(config), config.rank());
    }

    /** Channels and what they come from, as they are but for what a put leaves. */
    private static <T> T proxy(final Class<T> type, final T delegate, final int rank)
    {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{ type }, (self, method, args) ->
        {
            if ("equals".equals(method.getName()))
            {
                return self == args[0];
            }

            for (int i = 0; null != args && i < args.length; i++)
            {
                args[i] = args[i] instanceof Closed closed ? closed.region() : args[i];
            }

            final boolean isPut = "putRows".equals(method.getName());
            final byte[] kept = isPut ? keep((RemoteRegion)args[1], (RowList)args[2], (int)args[3], rank) : null;
            final Object result;
            try
            {
                result = method.invoke(delegate, args);
            }
            catch (final InvocationTargetException ex)
            {
                throw ex.getCause();
            }

            if (isPut && (long)result >= 0)
            {
                spoil((RemoteRegion)args[1], (RowList)args[2], (int)args[3], (int)args[4], rank, kept);
            }

            return result instanceof Worker worker ? proxy(Worker.class, worker, rank) :
                result instanceof Channel channel ? proxy(Channel.class, channel, rank) :
                result instanceof RemoteRegion region ? new Closed(region) :
                result instanceof Capabilities capabilities ? withoutWindows(capabilities) : result;
        }));
    }

    /** A region that cannot be looked into. */
    private record Closed(RemoteRegion region) implements RemoteRegion
    {
        @Override
        public int peer()
        {
            return region.peer();
        }

        @Override
        public long length()
        {
            return region.length();
        }

        @Override
        public void close()
        {
            region.close();
        }
    }

    private static Capabilities withoutWindows(final Capabilities all)
    {
        final Set<Capability> left = EnumSet.copyOf(all.optional());
        left.removeAll(Set.of(Capability.WINDOWS, Capability.REGISTERED_WINDOWS));
        return new Capabilities(all.transport(), all.version(), left, all.kinds(), all.remoteKinds(), all.atomicScope(),
            all.maxWorkers(), all.maxRegionLength(), all.maxPutLength(), all.offsetAlignment());
    }

    /** What the row that is to be lost would replace, if it is among these; at most so many are put at once. */
    private static byte[] keep(final RemoteRegion target, final RowList rows, final int from, final int rank)
    {
        synchronized (LOCK)
        {
            if (!isLost || rank != flippedRank || rowBytes != rows.rowLength() || flippedRow < rowsPut[rank] ||
                from + flippedRow - rowsPut[rank] >= rows.capacity())
            {
                return null;
            }

            final byte[] kept = new byte[rowBytes];
            final int at = from + (int)(flippedRow - rowsPut[rank]);
            if (rows.dstOffset(at) >= 0 && rows.dstOffset(at) + rowBytes <= target.length())
            {
                target.window().hostView(rows.dstOffset(at), rowBytes).get(kept);
            }

            return kept;
        }
    }

    private static void spoil(
        final RemoteRegion target, final RowList rows, final int from, final int count, final int rank,
        final byte[] kept)
    {
        synchronized (LOCK)
        {
            if (0 == rowsPut.length || rowBytes != rows.rowLength())
            {
                return;
            }

            final long at = flippedRow - rowsPut[rank];
            rowsPut[rank] += count;
            if (rank == flippedRank && at >= 0 && at < count)
            {
                final ByteBuffer row = target.window().hostView(rows.dstOffset(from + (int)at), rowBytes);
                final int place = flippedBit / Byte.SIZE;
                if (null == kept)
                {
                    row.put(place, (byte)(row.get(place) ^ 1 << flippedBit % Byte.SIZE));
                }
                else
                {
                    row.put(kept);
                }
            }
        }
    }
}
