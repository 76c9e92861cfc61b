/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.loopback;

import dev.transload.spi.Access;
import dev.transload.spi.Capabilities;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Reachability;
import dev.transload.spi.RowList;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;

/** One rank of a network. */
final class LoopbackTransport implements Transport
{
    private static final int ALIGNMENT = 128;

    private final LoopbackNetwork network;
    private final int rank;

    LoopbackTransport(final LoopbackNetwork network, final int rank)
    {
        this.network = network;
        this.rank = rank;
    }

    @Override
    public Capabilities capabilities()
    {
        return network.capabilities();
    }

    @Override
    public ByteBuffer peerInfo()
    {
        return ByteBuffer.allocate(0);
    }

    @Override
    public Reachability canReach(final int peer, final ByteBuffer peerInfo)
    {
        return new Reachability(true, "same JVM");
    }

    @Override
    public MemoryRegion allocate(final MemoryKind kind, final int device, final long length, final Access access)
    {
        network.allocated(length);
        final ByteBuffer memory = BufferUtil.allocateDirectAligned(Math.toIntExact(length), ALIGNMENT);
        return new LoopbackRegion(network, kind, memory, access);
    }

    @Override
    public MemoryRegion register(
        final MemoryKind kind, final int device, final long address, final long length, final Access access)
    {
        if (!capabilities().kinds().contains(kind))
        {
            throw new IllegalArgumentException(kind + " memory: must be of " + capabilities().kinds());
        }

        if (Access.REMOTE == access)
        {
            throw new TransportUnavailableException("loopback cannot export any memory that it did not allocate", null);
        }

        return new LoopbackRegion(kind, address, Math.toIntExact(length));
    }

    @Override
    public SignalRegion allocateSignals(final int count, final int writers)
    {
        network.allocated((long)count * Long.BYTES);
        return new LoopbackSignals(network, count);
    }

    @Override
    public RowList allocateRows(final int capacity)
    {
        network.allocated((long)capacity * RowList.STRIDE);
        return new RowList(BufferUtil.allocateDirectAligned(capacity * RowList.STRIDE, ALIGNMENT), capacity);
    }

    @Override
    public Worker openWorker(final int index)
    {
        return new LoopbackWorker(network, rank);
    }

    @Override
    public void close()
    {
        // All memory is the collector's.
    }
}
