/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.DeviceRuntime;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.RuntimeDevice;
import dev.transload.spi.TransportUnavailableException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.UnsafeApi;

/**
 * A device without a GPU: its memory is of this process, which UCX moves as the host's, and all else is counted.
 * The name of the library says what the device is like.
 */
public final class StandInRuntime implements DeviceRuntime
{
    /** Words of {@code device-library}, joined by dashes. */
    static final String FLUSHED = "flushed";
    static final String UNKNOWN = "unknown";
    static final String EMULATED = "emulated";
    static final String HARDWARE = "hardware";
    static final String FULL = "full";
    static final String ELSEWHERE = "elsewhere";
    static final int DEVICES = 2;

    private static final int ALIGNMENT = 256;
    private static final Map<Long, Long> ALLOCATED = new HashMap<>();
    private static final Set<String> BOUND = ConcurrentHashMap.newKeySet();
    private static final AtomicInteger FLUSHES = new AtomicInteger();
    private static final ThreadLocal<Integer> CURRENT = new ThreadLocal<>();

    /** Forget what was counted. */
    static void reset()
    {
        BOUND.clear();
        FLUSHES.set(0);
    }

    /** Names of threads in which a device was made current. */
    static Set<String> boundThreads()
    {
        return Set.copyOf(BOUND);
    }

    static int flushes()
    {
        return FLUSHES.get();
    }

    /** Ordinal of the device that is current in this thread, or null. */
    static Integer current()
    {
        return CURRENT.get();
    }

    /** Make none current, as a thread begins. */
    static void unbind()
    {
        CURRENT.remove();
    }

    /** How many pieces of memory are allocated. */
    static synchronized int allocations()
    {
        return ALLOCATED.size();
    }

    @Override
    public MemoryKind kind()
    {
        return MemoryKind.CUDA;
    }

    @Override
    public String section()
    {
        return "stand-in";
    }

    @Override
    public RuntimeDevice open(final String library, final int ordinal)
    {
        if (library.contains(ELSEWHERE) || ordinal >= DEVICES)
        {
            throw new TransportUnavailableException("there is no device " + ordinal + ": this process sees " +
                (library.contains(ELSEWHERE) ? 0 : DEVICES), null);
        }

        return new StandIn(List.of(library.split("-")), ordinal);
    }

    private static synchronized long allocateBytes(final long length)
    {
        final long base = UnsafeApi.allocateMemory(length + ALIGNMENT);
        final long address = base + ALIGNMENT - 1 & -ALIGNMENT;
        UnsafeApi.setMemory(address, length, (byte)0);
        ALLOCATED.put(address, length);
        return address;
    }

    /** The bytes stay: a peer that was given up may still write there, and nothing would tell the test. */
    private static synchronized void freeBytes(final long address)
    {
        if (null == ALLOCATED.remove(address))
        {
            throw new IllegalArgumentException("address=" + address + ": nothing was allocated there");
        }
    }

    private static synchronized boolean isAllocated(final long address, final long length)
    {
        return ALLOCATED.entrySet().stream().anyMatch((memory) -> memory.getKey() <= address &&
            address + length <= memory.getKey() + memory.getValue());
    }

    private record StandIn(List<String> ways, int ordinal) implements RuntimeDevice
    {
        @Override
        public String describe()
        {
            return "device " + ordinal + " (stand-in)";
        }

        @Override
        public void bind()
        {
            CURRENT.set(ordinal);
            BOUND.add(Thread.currentThread().getName());
        }

        @Override
        public long allocate(final long length)
        {
            if (ways.contains(FULL))
            {
                throw new TransportUnavailableException(length + " bytes were asked for on " + describe() +
                    ", 0 are free", null);
            }

            return allocateBytes(length);
        }

        @Override
        public void free(final long address)
        {
            freeBytes(address);
        }

        @Override
        public void requireOwn(final long address, final long length)
        {
            if (!isAllocated(address, length))
            {
                throw new IllegalArgumentException("address=" + address + ": that is no memory of " + describe());
            }
        }

        @Override
        public WriteOrder writeOrder()
        {
            return ways.contains(FLUSHED) ? WriteOrder.FLUSHED :
                ways.contains(UNKNOWN) ? WriteOrder.UNKNOWN : WriteOrder.ORDERED;
        }

        @Override
        public void flushWrites()
        {
            FLUSHES.incrementAndGet();
        }

        @Override
        public boolean isHostAddressable()
        {
            return !ways.contains(HARDWARE);
        }

        @Override
        public boolean isEmulated()
        {
            return ways.contains(EMULATED);
        }
    }
}
