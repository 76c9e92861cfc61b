/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.RowList;
import dev.transload.spi.UnsupportedCapabilityException;
import java.nio.ByteBuffer;
import java.util.EnumSet;

/** Checks of what a transport is asked for: memory, signals, lists of rows and workers. */
public final class RequestArguments
{
    private RequestArguments()
    {
    }

    /**
     * Memory of a kind that the capabilities name.
     *
     * @param capabilities of the transport.
     * @param kind         of the memory.
     * @param device       that owns it.
     * @param length       in bytes.
     * @throws IllegalArgumentException naming the argument and what is allowed.
     */
    public static void checkMemory(
        final Capabilities capabilities, final MemoryKind kind, final int device, final long length)
    {
        if (!capabilities.kinds().contains(kind))
        {
            throw new IllegalArgumentException("kind=" + kind + ": transport " + capabilities.transport() + " has " +
                String.join(", ", capabilities.kinds().stream().map(MemoryKind::name).sorted().toList()) +
                " memory only");
        }

        if (MemoryKind.HOST.equals(kind) && 0 != device)
        {
            throw new IllegalArgumentException("device=" + device + ": HOST memory has device 0 only");
        }

        if (device < 0)
        {
            throw new IllegalArgumentException("device=" + device + ": must not be negative");
        }

        if (length <= 0)
        {
            throw new IllegalArgumentException("length=" + length + ": must be positive");
        }
    }

    /**
     * Memory that is to be allocated.
     *
     * @param capabilities of the transport.
     * @param kind         of the memory.
     * @param device       that owns it.
     * @param length       in bytes.
     * @throws IllegalArgumentException naming the argument and what is allowed.
     */
    public static void checkAllocation(
        final Capabilities capabilities, final MemoryKind kind, final int device, final long length)
    {
        checkMemory(capabilities, kind, device, length);
        if (length > capabilities.maxRegionLength())
        {
            throw new IllegalArgumentException("length=" + length + ": transport " + capabilities.transport() +
                " allocates at most " + capabilities.maxRegionLength() + " bytes in one region");
        }
    }

    /**
     * Memory of the caller's that is to be registered.
     *
     * @param capabilities of the transport.
     * @param kind         of the memory.
     * @param device       that owns it.
     * @param address      of the first byte.
     * @param length       in bytes.
     * @throws IllegalArgumentException naming the argument and what is allowed.
     */
    public static void checkRegistration(
        final Capabilities capabilities,
        final MemoryKind kind,
        final int device,
        final long address,
        final long length)
    {
        checkMemory(capabilities, kind, device, length);
        if (0 == address)
        {
            throw new IllegalArgumentException("address=0: there is no memory");
        }
    }

    /**
     * Signals, {@link RegionDescriptor#SIGNAL_STRIDE} bytes each.
     *
     * @param capabilities of the transport.
     * @param count        of signals.
     * @param writers      that may add to one signal.
     * @throws IllegalArgumentException       naming the argument and what is allowed.
     * @throws UnsupportedCapabilityException for several writers without {@link Capability#SHARED_SIGNALS}.
     */
    public static void checkSignals(final Capabilities capabilities, final int count, final int writers)
    {
        final long most =
            Math.min(Integer.MAX_VALUE, capabilities.maxRegionLength() / RegionDescriptor.SIGNAL_STRIDE);
        if (count <= 0 || count > most)
        {
            throw new IllegalArgumentException("count=" + count + ": must be in [1, " + most + "]");
        }

        if (writers <= 0)
        {
            throw new IllegalArgumentException("writers=" + writers + ": must be positive");
        }

        if (writers > 1 && !capabilities.has(Capability.SHARED_SIGNALS))
        {
            throw new UnsupportedCapabilityException(
                capabilities.transport(), EnumSet.of(Capability.SHARED_SIGNALS));
        }
    }

    /**
     * A list of rows in memory of the JVM.
     *
     * @param capacity in rows.
     * @return the list.
     * @throws IllegalArgumentException when the capacity is negative.
     */
    public static RowList rows(final int capacity)
    {
        if (capacity < 0)
        {
            throw new IllegalArgumentException("capacity=" + capacity + ": must not be negative");
        }

        return new RowList(ByteBuffer.allocateDirect(Math.multiplyExact(capacity, RowList.STRIDE)), capacity);
    }

    /**
     * Index of a worker.
     *
     * @param capabilities of the transport.
     * @param index        of the worker.
     * @throws IllegalArgumentException when it is none.
     */
    public static void checkWorker(final Capabilities capabilities, final int index)
    {
        if (index < 0 || index >= capabilities.maxWorkers())
        {
            throw new IllegalArgumentException("index=" + index + ": must be in [0, " + capabilities.maxWorkers() +
                ")");
        }
    }
}
