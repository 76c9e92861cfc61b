/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.RowList;
import dev.transload.spi.UnsupportedCapabilityException;
import java.nio.ByteBuffer;
import java.util.EnumSet;

/** Checks the arguments of requests that ask a transport for memory, signals, row lists and workers. */
public final class RequestArguments
{
    private RequestArguments()
    {
    }

    /**
     * Checks the kind, the device and the length of a request for memory.
     *
     * @param capabilities capabilities of the transport.
     * @param kind         kind of the memory.
     * @param device       device that owns the memory.
     * @param length       length in bytes.
     * @throws IllegalArgumentException if an argument is not allowed; the message names the argument and the allowed
     *                                  values.
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
     * Checks a request to allocate memory.
     *
     * @param capabilities capabilities of the transport.
     * @param kind         kind of the memory.
     * @param device       device that owns the memory.
     * @param length       length in bytes.
     * @throws IllegalArgumentException if an argument is not allowed; the message names the argument and the allowed
     *                                  values.
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
     * Checks a request to register memory of the caller.
     *
     * @param capabilities capabilities of the transport.
     * @param kind         kind of the memory.
     * @param device       device that owns the memory.
     * @param address      address of the first byte.
     * @param length       length in bytes.
     * @throws IllegalArgumentException if an argument is not allowed; the message names the argument and the allowed
     *                                  values.
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
     * Checks a request for signals. Each signal takes {@link RegionDescriptor#SIGNAL_STRIDE} bytes.
     *
     * @param capabilities capabilities of the transport.
     * @param count        number of signals.
     * @param writers      number of channels that may add to one signal.
     * @throws IllegalArgumentException       if an argument is not allowed; the message names the argument and the
     *                                        allowed values.
     * @throws UnsupportedCapabilityException if several writers are requested and the transport does not promise
     *                                        {@link Capability#SHARED_SIGNALS}.
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
     * Creates a row list in a new direct buffer.
     *
     * @param capacity largest number of rows.
     * @return new row list.
     * @throws IllegalArgumentException if the capacity is negative.
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
     * Checks the index of a worker.
     *
     * @param capabilities capabilities of the transport.
     * @param index        index of the worker.
     * @throws IllegalArgumentException if the transport does not allow a worker with this index.
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
