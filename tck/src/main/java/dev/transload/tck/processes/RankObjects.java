/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RowList;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.tck.DeviceChecks;
import dev.transload.tck.ForeignMemory;
import java.io.DataInputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Objects in a rank's process, by the handles under which the test's process knows them; this object's is 0. */
final class RankObjects implements Rank, Wire.Objects
{
    static final int RANK = 0;

    private final List<Object> objects = new ArrayList<>();

    RankObjects()
    {
        objects.add(this);
    }

    /** A region's memory by its views, which the test's process cannot have. */
    private record Viewed(MemoryRegion region) implements ForeignMemory
    {
        @Override
        public byte[] read(final long offset, final int length)
        {
            final byte[] bytes = new byte[length];
            region.hostView(offset, length).get(bytes);
            return bytes;
        }

        @Override
        public void write(final long offset, final byte[] bytes)
        {
            region.hostView(offset, bytes.length).put(bytes);
        }

        @Override
        public long word(final long offset)
        {
            return view(offset).getLong(0);
        }

        @Override
        public void word(final long offset, final long value)
        {
            view(offset).putLong(0, value);
        }

        private ByteBuffer view(final long offset)
        {
            return region.hostView(offset, Long.BYTES);
        }
    }

    /** Makes the call that a request asks for, and answers its result. */
    Object call(final DataInputStream request) throws Throwable
    {
        final Object target = objects.get(request.readInt());
        final Method method = Wire.readMethod(request);
        final Object[] arguments = Wire.readArguments(request, this, method);
        try
        {
            return method.invoke(
                ForeignMemory.class == method.getDeclaringClass() ? new Viewed((MemoryRegion)target) : target,
                arguments);
        }
        catch (final InvocationTargetException ex)
        {
            throw ex.getCause();
        }
    }

    @Override
    public Transport open(
        final String provider,
        final int rank,
        final int worldSize,
        final long incarnation,
        final long livenessTimeoutNs,
        final Map<String, String> options)
    {
        return ((TransportProvider)made(provider)).open(TransportConfig.builder()
            .rank(rank)
            .worldSize(worldSize)
            .incarnation(incarnation)
            .livenessTimeoutNs(livenessTimeoutNs)
            .options(options)
            .build());
    }

    @Override
    public DeviceChecks openChecks(final String checks)
    {
        return (DeviceChecks)made(checks);
    }

    @Override
    public void reset()
    {
        final List<Object> forgotten = List.copyOf(objects.subList(RANK + 1, objects.size()));
        objects.subList(RANK + 1, objects.size()).clear();
        for (final Object object : forgotten)
        {
            if (object instanceof final Transport transport)
            {
                transport.close();
            }
            else if (object instanceof final DeviceChecks checks)
            {
                checks.close();
            }
        }
    }

    @Override
    public int handleOf(final Object object)
    {
        objects.add(object);
        return objects.size() - 1;
    }

    @Override
    public Object object(final int handle, final Class<?> type)
    {
        return objects.get(handle);
    }

    @Override
    public RowList rows(final int handle, final int capacity)
    {
        return (RowList)objects.get(handle);
    }

    private static Object made(final String type)
    {
        try
        {
            return Class.forName(type).getConstructor().newInstance();
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new AssertionError("no " + type + " can be made: " + ex, ex);
        }
    }
}
