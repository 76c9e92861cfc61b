/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.kernels.RowKernels;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.tck.KernelsFixture;
import dev.transload.tck.PlainRegion;
import dev.transload.transport.base.AddressView;
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaDriver;
import dev.transload.transport.nvlink.cuda.CudaStream;
import dev.transload.transport.nvlink.cuda.PinnedMemory;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Row kernels on the emulator's first device, with memory that a test fills and looks into by copies. */
final class EmulatedDevice implements KernelsFixture
{
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    private final Deque<MemoryRegion> regions = new ArrayDeque<>();
    private final CudaDevice device;
    private final CudaStream stream;
    private final RowKernels kernels;

    EmulatedDevice()
    {
        this(Emulator.options());
    }

    EmulatedDevice(final Map<String, String> options)
    {
        kernels = new CudaRowKernelsProvider().open(0, options);
        device = CudaDriver.open(options.get("library")).device(0);
        stream = device.openStream();
    }

    CudaDevice device()
    {
        return device;
    }

    /** Not that of the kernels. */
    CudaStream stream()
    {
        return stream;
    }

    @Override
    public RowKernels kernels()
    {
        return kernels;
    }

    @Override
    public MemoryRegion allocate(final long length)
    {
        final long address = device.allocate(Math.max(1, length));
        stream.zero(address, Math.max(1, length));
        regions.push(
            new PlainRegion(MemoryKind.CUDA, 0, length, address, null, () -> device.free(address)));
        return regions.peek();
    }

    MemoryRegion filled(final byte[] bytes)
    {
        final MemoryRegion region = allocate(bytes.length);
        write(region, 0, bytes);
        return region;
    }

    @Override
    public void write(final MemoryRegion region, final long offset, final byte[] bytes)
    {
        try (PinnedMemory pinned = device.allocatePinned(Math.max(1, bytes.length)))
        {
            AddressView.of(pinned.address(), bytes.length).put(bytes);
            await(stream.copy(region.address() + offset, pinned.address(), bytes.length));
        }
    }

    @Override
    public byte[] read(final MemoryRegion region, final long offset, final int length)
    {
        try (PinnedMemory pinned = device.allocatePinned(Math.max(1, length)))
        {
            await(stream.copy(pinned.address(), region.address() + offset, length));
            final byte[] bytes = new byte[length];
            AddressView.of(pinned.address(), length).get(bytes);
            return bytes;
        }
    }

    /** Wait for a value of the other stream. */
    void await(final long value)
    {
        assertEquals(0, stream.await(value, TIMEOUT_NS), "the stream stands still");
    }

    /** Wait for the kernels. */
    void finish(final long position)
    {
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (kernels.completedPosition() < position)
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new AssertionError("the kernels stand still before position " + position);
            }

            kernels.progress();
            Thread.yield();
        }
    }

    @Override
    public void close()
    {
        stream.close();
        regions.forEach(MemoryRegion::close);
    }
}
